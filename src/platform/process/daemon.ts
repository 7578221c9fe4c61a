import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { readEnd } from '../files/attempt-folder.ts'
import { explainFile } from '../files/files.ts'

export interface Daemon {
  readonly pid: number
  /** How it ended, once it has; undefined: it has not. */
  exited(): { readonly code: number | null } | undefined
  /** What was written to its file since it was started. */
  said(): string
}

const SAID_MOST = 20_000

/** A process of its own session that outlives this one, its output in a file. */
export function startDaemon(
  argv: readonly string[],
  { output, env }: { output: string; env: NodeJS.ProcessEnv },
): Daemon | undefined {
  const fd = openToAppend(output)
  try {
    const from = fstatSync(fd).size
    const [file = '', ...args] = argv
    const child = spawn(file, args, { cwd: '/', env, detached: true, stdio: ['ignore', fd, fd] })
    let ended: { code: number | null } | undefined
    child.on('error', () => {
      ended = { code: null }
    })
    child.on('exit', (code) => {
      ended = { code }
    })
    child.unref()
    const said = () => readEnd(output, SAID_MOST, { from }) ?? ''
    return child.pid === undefined ? undefined : { pid: child.pid, exited: () => ended, said }
  } finally {
    closeSync(fd)
  }
}

function openToAppend(path: string): number {
  try {
    return openSync(path, 'a', 0o600)
  } catch (error) {
    throw explainFile(error, path)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** One that has gone in this moment needs none. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
