#!/usr/bin/env node
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Script } from 'node:vm'

/**
 * Starts fleet. To find, read and compile the files of a command takes Node a third of the command's time, so what V8
 * made of them is kept: a file per command, with just the functions that it used (docs/adr/0015). Whatever is wrong with
 * it, or with the place it is kept at, the command runs as if there were none.
 */

/** The first of the program's files, named after its contents and so after those of all others. */
declare const MAIN: string

type Load = (name: string) => unknown
type Compiled = (exports: unknown, require: Load, module: { exports: unknown }, file: string, folder: string) => void

function load(name: string): unknown {
  const known = modules.get(name)
  if (known !== undefined) return known.exports
  const module = { exports: {} }
  modules.set(name, module)
  const filename = `${__dirname}/${name}`
  // The build leaves nothing but ASCII in them, which is read fastest as this.
  const text = readFileSync(filename, 'latin1')
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${text}\n})`, {
    filename,
    cachedData: kept.code.get(name),
  })
  kept.used(name, script)
  const run: Compiled = script.runInThisContext()
  run.call(module.exports, module.exports, needed, module, filename, __dirname)
  return module.exports
}

/** What is not fleet's own is Node's to load, and so is the one file that imports. */
function needed(id: string): unknown {
  return id.startsWith('./') && !id.startsWith(IMPORTS) ? load(id.slice(2)) : require(id)
}

const IMPORTS = './import-file-'

interface Kept {
  readonly code: ReadonlyMap<string, Buffer>
  used(name: string, script: Script): void
}

/** undefined: nothing is kept of this one. */
function keptAt(env: NodeJS.ProcessEnv, [first = '', second = '']: readonly string[]): string | undefined {
  const { HOME, XDG_CACHE_HOME, NODE_DISABLE_COMPILE_CACHE } = env
  const root = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : HOME?.startsWith('/') ? `${HOME}/.cache` : undefined
  const command = first === 'bd' ? `bd-${second}` : first
  // A supervisor sets flags of V8, and code that was made under other flags is refused.
  if (root === undefined || NODE_DISABLE_COMPILE_CACHE || command === 'run' || !WORD.test(command)) return undefined
  return `${root}/fleet/${MAIN.slice(0, -4)}-${process.version}-${process.arch}/${command}`
}

const WORD = /^[a-z][a-z-]{0,30}$/

function keptCode(path: string | undefined): Kept {
  if (path === undefined) return { code: new Map(), used() {} }
  const code = readKept(path)
  const scripts: [name: string, script: Script][] = []
  let good = code.size > 0
  process.on('exit', (status) => {
    if (!good && status === 0) keep(path, scripts)
  })
  return {
    code,
    used(name, script) {
      scripts.push([name, script])
      if (script.cachedDataRejected === true) good = false
    },
  }
}

/** The sizes of its parts in a first line, then the parts. Somebody else's is not run. */
function readKept(path: string): ReadonlyMap<string, Buffer> {
  const code = new Map<string, Buffer>()
  try {
    const fd = openSync(path, 'r')
    try {
      if (fstatSync(fd).uid !== process.getuid?.()) return code
      const all = readFileSync(fd)
      let at = all.indexOf('\n') + 1
      for (const [name, size] of JSON.parse(all.toString('latin1', 0, at)) as [string, number][]) {
        code.set(name, all.subarray(at, at + size))
        at += size
      }
      if (at !== all.length) code.clear()
    } finally {
      closeSync(fd)
    }
  } catch {
    code.clear()
  }
  return code
}

/** Whole or not at all, also after a power cut: V8 does not check what it is given. */
function keep(path: string, scripts: readonly (readonly [name: string, script: Script])[]): void {
  const unfinished = `${path}.${process.pid}.tmp`
  try {
    const parts = scripts.map(([name, script]) => ({ name, bytes: script.createCachedData() }))
    const sizes = JSON.stringify(parts.map(({ name, bytes }) => [name, bytes.length]))
    if (mkdirSync(dirname(path), { recursive: true, mode: 0o700 }) !== undefined) removeOld(dirname(dirname(path)))
    const fd = openSync(unfinished, 'wx', 0o600)
    try {
      writeSync(fd, Buffer.concat([Buffer.from(`${sizes}\n`, 'latin1'), ...parts.map(({ bytes }) => bytes)]))
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(unfinished, path)
  } catch {
    try {
      rmSync(unfinished, { force: true })
    } catch {
      // The same trouble.
    }
  }
}

const OLD = 30 * 24 * 3_600_000

/** What earlier versions kept. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`
    if (Date.now() - statSync(path).mtimeMs > OLD) rmSync(path, { recursive: true })
  }
}

const kept = keptCode(keptAt(process.env, process.argv.slice(2)))
const modules = new Map<string, { exports: unknown }>()
load(MAIN)
