import { spawn } from 'node:child_process'
import { closeSync, constants, fstatSync } from 'node:fs'
import { readEnd } from '../files/attempt-folder.ts'
import { explainFile } from '../files/files.ts'
import { openRegular } from '../files/regular-file.ts'
import { closeInheritedDescriptors } from './inherited-descriptors.ts'

export interface Daemon {
  readonly pid: number
  /** undefined: it is still running. */
  exited(): { readonly code: number | null } | undefined
  /** Its output since its start. */
  output(): string
}

/** Bytes of its output that are read. */
const OUTPUT_READ = 20_000

/** Starts a process in its own session that outlives this one and writes its output to a file. */
export function startDaemon(
  argv: readonly string[],
  { output, env }: { output: string; env: NodeJS.ProcessEnv },
): Daemon | undefined {
  closeInheritedDescriptors()
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
    const written = () => readEnd(output, OUTPUT_READ, { from }) ?? ''
    return child.pid === undefined ? undefined : { pid: child.pid, exited: () => ended, output: written }
  } finally {
    closeSync(fd)
  }
}

function openToAppend(path: string): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT
  try {
    const opened = openRegular(path, { flags, links: 'refuse', hint: 'move it away and run it again' })
    if (opened !== undefined) return opened.fd
    throw Object.assign(new Error('its folder has gone'), { code: 'ENOENT' })
  } catch (error) {
    throw explainFile(error, path)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Does nothing if the process has already ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
