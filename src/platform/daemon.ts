import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

export interface Daemon {
  readonly pid: number
  /** How it ended, once it has; undefined: it has not. */
  exited(): { readonly code: number | null } | undefined
}

/** A process of its own session that outlives this one, its output in a file. */
export function startDaemon(
  argv: readonly string[],
  { output, env }: { output: string; env: NodeJS.ProcessEnv },
): Daemon | undefined {
  const fd = openSync(output, 'a', 0o600)
  try {
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
    return child.pid === undefined ? undefined : { pid: child.pid, exited: () => ended }
  } finally {
    closeSync(fd)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  process.kill(pid, signal)
}
