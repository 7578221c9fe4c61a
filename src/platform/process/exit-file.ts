import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, writeSync } from 'node:fs'
import { isAgentsDoing } from '../../domain/run/damage.ts'
import { explainFile } from '../files/files.ts'

/** The wrapper of a run writes two files: `exit.json.pid` when it starts, and `exit.json` with the agent's exit code. */
export function exitFile(folder: string): string {
  return `${folder}/exit.json`
}

/** undefined: not written yet, or not completely. */
export function recordedExit(folder: string): number | undefined {
  const code = /^\{"code":(\d{1,3})\}\n$/.exec(beginning(exitFile(folder)) ?? '')?.[1]
  return code === undefined ? undefined : Number(code)
}

/**
 * `forbidden`: the run was not started and cannot be any more. `torn`: the file is empty. Its maker is about to write to it,
 * or was killed before it could; in that case the run was not started and cannot be any more.
 */
export function startRecord(folder: string): 'none' | 'torn' | 'started' | 'forbidden' {
  const text = beginning(`${exitFile(folder)}.pid`)
  if (text === undefined) return 'none'
  if (text === '') return 'torn'
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

/** The agent can replace these files: no pipe, device or huge file may block the reader. */
function beginning(path: string): string | undefined {
  let file: number
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isFile() !== true) return found?.isSymbolicLink() === false ? '' : undefined
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    if (isAgentsDoing((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
  try {
    const buffer = Buffer.alloc(64)
    return fstatSync(file).isFile() ? buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)) : ''
  } finally {
    closeSync(file)
  }
}
