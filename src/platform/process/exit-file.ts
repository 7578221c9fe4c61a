import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, writeSync } from 'node:fs'
import { isAgentsDoing } from '../../domain/run/damage.ts'
import { explainFile } from '../files/files.ts'

/** The wrapper of a run writes two files: `exit.json.pid` when it starts, and `exit.json` with the agent's exit code. */
export function exitFile(folder: string): string {
  return `${folder}/exit.json`
}

/**
 * An agent can write everything that its wrapper can. The wrapper adds one of two keys that only it and the supervisor know:
 * `zero` to exit status 0, `other` to any other. There are two, because a process that outlives the wrapper can read the one
 * that was written: it cannot turn a failure into a success.
 */
export interface ExitKeys {
  readonly zero: string
  readonly other: string
}

/** The line on the wrapper's stdin. */
export function keysLine(keys: ExitKeys | undefined): string {
  return keys === undefined ? '\n' : `${keys.zero} ${keys.other}\n`
}

/** In milliseconds of the wall clock. */
export function exitWrittenAt(folder: string): number | undefined {
  return lstatSync(exitFile(folder), { throwIfNoEntry: false })?.ctimeMs
}

/** undefined: not written yet, not completely, or not by the wrapper. Without keys any record is believed. */
export function recordedExit(folder: string, keys?: ExitKeys): number | undefined {
  const record = exitRecord(folder, keys)
  return record.kind === 'code' ? record.code : undefined
}

/** `foreign`: something that the wrapper did not write. */
export type ExitRecord = { readonly kind: 'none' | 'foreign' } | { readonly kind: 'code'; readonly code: number }

export function exitRecord(folder: string, keys?: ExitKeys): ExitRecord {
  const text = beginning(exitFile(folder))
  // Half a line is the record of a wrapper that was killed, or that found the disk full.
  if (text === undefined || (text !== NO_PLAIN_FILE && !text.includes('\n'))) return { kind: 'none' }
  const [, digits, key] = /^\{"code":(0|[1-9]\d{0,2})(?:,"key":"([\w-]+)")?\}\n$/.exec(text) ?? []
  if (digits === undefined) return { kind: 'foreign' }
  const code = Number(digits)
  const expected = code === 0 ? keys?.zero : keys?.other
  return expected === undefined || key === expected ? { kind: 'code', code } : { kind: 'foreign' }
}

/**
 * `forbidden`: the run was not started and cannot be any more. `torn`: the file is empty. Its maker is about to write to it,
 * or was killed before it could; in that case the run was not started and cannot be any more.
 */
export function startRecord(folder: string): 'none' | 'torn' | 'started' | 'forbidden' {
  const text = beginning(`${exitFile(folder)}.pid`)
  if (text === undefined) return 'none'
  if (text === '' || text === NO_PLAIN_FILE) return 'torn'
  return text === FORBIDDEN ? 'forbidden' : 'started'
}

/** Makes the pid file before the wrapper can, which forbids the start. false: the wrapper was first. */
export function takeStart(folder: string): boolean {
  const path = `${exitFile(folder)}.pid`
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EEXIST') return startRecord(folder) === 'forbidden'
    // Where this user cannot make the file, the wrapper cannot make it either.
    if (isAgentsDoing(code)) return true
    throw explainFile(error, path)
  }
  try {
    writeSync(file, FORBIDDEN)
  } finally {
    closeSync(file)
  }
  return true
}

const FORBIDDEN = 'forbidden\n'

/** A pipe, a folder, a device. */
const NO_PLAIN_FILE = '\n'

/** The agent can replace these files: no pipe, device or huge file may block the reader. */
function beginning(path: string): string | undefined {
  let file: number
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isFile() !== true) return found?.isSymbolicLink() === false ? NO_PLAIN_FILE : undefined
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    if (isAgentsDoing((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
  try {
    const buffer = Buffer.alloc(128)
    if (!fstatSync(file).isFile()) return NO_PLAIN_FILE
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0))
  } finally {
    closeSync(file)
  }
}
