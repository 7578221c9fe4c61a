#!/usr/bin/env node
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { fingerprint } from '../../domain/text/fingerprint.ts'
import { chanceHex } from './chance.ts'

/**
 * Starts fleet. To find, read and compile the files of a command takes Node a third of the command's time, so what V8
 * made of them is kept: a file per command, with just the functions that it used (docs/adr/0015). Whatever is wrong with
 * it, or with the place it is kept at, the command runs as if there were none.
 */

/** The first of the program's files, named after its contents and so after those of all others. */
declare const MAIN: string

type Load = (name: string) => unknown
type Compiled = (exports: unknown, require: Load, module: { exports: unknown }, file: string, folder: string) => void

const WRAPPER = '(function(exports,require,module,__filename,__dirname){'

function load(name: string): unknown {
  const known = modules.get(name)
  if (known !== undefined) return known.exports
  const module = { exports: {} }
  modules.set(name, module)
  try {
    const filename = `${__dirname}/${name}`
    const script = new Script(`${WRAPPER}${readFileSync(filename, 'utf8')}\n})`, {
      filename,
      columnOffset: -WRAPPER.length,
      cachedData: kept.code.get(name),
    })
    kept.used(name, script)
    const run: Compiled = script.runInThisContext()
    run.call(module.exports, module.exports, needed, module, filename, __dirname)
    return module.exports
  } catch (error) {
    // Asked for again, it is tried again.
    modules.delete(name)
    throw error
  }
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
function keptAt(env: NodeJS.ProcessEnv, argv: readonly string[]): string | undefined {
  const { FLEET_HOME, HOME, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, NODE_OPTIONS, NODE_V8_COVERAGE } = env
  const home = FLEET_HOME || (HOME && `${HOME}/.fleet`)
  const root = NODE_COMPILE_CACHE || (home && `${home}/code`)
  const command = commandOf(argv)
  // What was made under flags of Node's may be refused without them.
  const unusual = NODE_DISABLE_COMPILE_CACHE || NODE_OPTIONS || NODE_V8_COVERAGE || process.execArgv.length > 0
  if (!root?.startsWith('/') || unusual || command === '') return undefined
  // Code of another V8 would be refused; that of another installation tells its paths.
  const maker = [process.version, process.arch, __dirname]
  return `${root}/${MAIN.slice(0, -'.cjs'.length)}-${fingerprint(JSON.stringify(maker))}/${command}`
}

/** Each use of its own has its own functions. */
function commandOf(argv: readonly string[]): string {
  const words = FAMILIES.has(argv[0] ?? '') ? argv.slice(0, 2) : argv.slice(0, 1)
  const none = !words.every((word) => WORD.test(word)) || argv.includes('--help') || argv.includes('-h')
  return none || SUPERVISING.has(words[0] ?? '') ? '' : words.join('-')
}

const WORD = /^[a-z][a-z-]{0,30}$/
/** Whose next word is a command of theirs. */
const FAMILIES = new Set(['bd', 'config', 'queue'])
/** They set flags of V8. */
const SUPERVISING = new Set(['run', 'kill'])

function keptCode(path: string | undefined): Kept {
  if (path === undefined) return { code: new Map(), used() {} }
  const code = readKept(path)
  const scripts: [name: string, script: Script][] = []
  let good = code.has(MAIN)
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

/** A checksum, and the sizes of its parts, in a first line; then the parts. V8 does not check what it is given. */
function readKept(path: string): ReadonlyMap<string, Buffer> {
  const code = new Map<string, Buffer>()
  try {
    if (!isOurs(lstatSync(dirname(path)))) return code
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const file = fstatSync(fd)
      if (!file.isFile() || !isOurs(file) || file.size > LARGEST) return code
      const all = readFileSync(fd)
      let at = all.indexOf('\n') + 1
      const { crc, sizes }: Head = JSON.parse(all.toString('utf8', 0, at))
      if (crc32(all.subarray(at)) !== crc) return code
      for (const [name, size] of sizes) {
        code.set(name, all.subarray(at, at + size))
        at += size
      }
    } finally {
      closeSync(fd)
    }
  } catch {
    code.clear()
  }
  return code
}

interface Head {
  readonly crc: number
  readonly sizes: readonly (readonly [name: string, size: number])[]
}

const LARGEST = 16 * 1024 * 1024

/** Nobody else could have written it. */
function isOurs({ uid, mode }: Stats): boolean {
  return uid === process.getuid?.() && (mode & 0o022) === 0
}

/** Whole or not at all, also after a power cut. */
function keep(path: string, scripts: readonly (readonly [name: string, script: Script])[]): void {
  const unfinished = `${path}.${chanceHex(6)}.tmp`
  try {
    makeRoom(dirname(path))
    const fd = openSync(unfinished, 'wx', 0o600)
    try {
      if (!isOurs(fstatSync(fd))) throw new Error('files belong to somebody else here')
      writeFileSync(fd, packed(scripts))
      fsyncSync(fd)
      renameSync(unfinished, path)
    } catch (error) {
      rmSync(unfinished, { force: true })
      throw error
    } finally {
      closeSync(fd)
    }
  } catch {
    // Another time.
  }
}

function packed(scripts: readonly (readonly [name: string, script: Script])[]): Buffer {
  const parts = scripts.map(([name, script]) => ({ name, bytes: script.createCachedData() }))
  const code = Buffer.concat(parts.map(({ bytes }) => bytes))
  const head: Head = { crc: crc32(code), sizes: parts.map(({ name, bytes }) => [name, bytes.length]) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), code])
}

/** In a home of ours that is there, or where somebody wants it to be. */
function makeRoom(folder: string): void {
  const root = dirname(folder)
  const isWanted = Boolean(process.env['NODE_COMPILE_CACHE']) || isOurs(lstatSync(`${dirname(root)}/fleet.db`))
  if (!isWanted) throw new Error(`${dirname(root)} is somebody else's`)
  make(root)
  if (make(folder)) removeOld(root)
}

/** Whether it is new. */
function make(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch {
    const there = lstatSync(folder)
    if (!there.isDirectory() || !isOurs(there)) throw new Error(`${folder} belongs to somebody else`)
    return false
  }
}

const OLD = 30 * 24 * 3_600_000
const OF_A_BUILD = /^main-[\w-]{8}-[0-9a-f]{16}$/

/** What other builds kept, where nothing was added for a month. */
function removeOld(root: string): void {
  for (const name of readdirSync(root)) {
    const path = `${root}/${name}`
    const there = lstatSync(path)
    const removable = OF_A_BUILD.test(name) && there.isDirectory() && isOurs(there)
    if (removable && Date.now() - there.mtimeMs > OLD) rmSync(path, { recursive: true })
  }
}

const kept = keptCode(keptAt(process.env, process.argv.slice(2)))
const modules = new Map<string, { exports: unknown }>()
load(MAIN)
