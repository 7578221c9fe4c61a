import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beginningOf } from '../files/beginning-of.ts'
import { explainFile } from '../files/files.ts'
import { type ExecOptions, exec } from '../process/exec.ts'

/** A hook that has failed. Git tells nobody that a hook is the reason why it failed itself. */
export interface FailedHook {
  readonly name: string
  /** Of a shell: above 128 a signal ended it. */
  readonly code: number
}

/**
 * Makes a folder of hooks that run those of another folder, each in its own place, because hooks call scripts beside them. One
 * that fails is noted. Returns the folder.
 */
export function notedHooks(hooks: string, folder: string): string {
  const noted = join(folder, NOTED)
  try {
    mkdirSync(noted, { recursive: true, mode: 0o700 })
    for (const name of namesOfHooks(hooks)) {
      const note = `[ "$code" = 0 ] || echo "${name} $code" >>${quoted(join(folder, FAILED))}`
      writeFileSync(join(noted, name), `#!/bin/sh\n${quoted(join(hooks, name))} "$@"\ncode=$?\n${note}\nexit "$code"\n`)
      chmodSync(join(noted, name), 0o700)
    }
  } catch (error) {
    throw explainFile(error, noted)
  }
  return noted
}

/** The folder of noted hooks in a private folder. */
export const NOTED = 'fleet-noted-hooks'
const FAILED = 'fleet-failed-hooks'
const FAILED_BYTES = 65_536

/** In the order in which they failed. */
export function failedHooks(folder: string): readonly FailedHook[] {
  const lines = (beginningOf(join(folder, FAILED), FAILED_BYTES) ?? '').split('\n')
  return lines.flatMap((line) => {
    const [name, code] = line.split(' ')
    return name === undefined || code === undefined ? [] : [{ name, code: Number(code) }]
  })
}

/** Hooks that git calls while it changes refs and the index. */
const EARLY = ['reference-transaction', 'post-index-change']

/** A folder with these of the noted hooks alone. */
export function earlyHooks(noted: string, folder: string): string {
  const early = join(folder, 'fleet-early-hooks')
  try {
    mkdirSync(early, { recursive: true, mode: 0o700 })
    for (const name of EARLY) if (isHook(join(noted, name))) symlinkSync(join(noted, name), join(early, name))
  } catch (error) {
    throw explainFile(error, early)
  }
  return early
}

/** Runs a hook if there is one. */
export async function runHook(path: string, options: ExecOptions): Promise<void> {
  if (isHook(path)) await exec(path, options)
}

function namesOfHooks(hooks: string): string[] {
  if (statSync(hooks, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(hooks).filter((name) => /^[a-z][a-z0-9-]*$/.test(name) && isHook(join(hooks, name)))
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`
}

function isHook(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
