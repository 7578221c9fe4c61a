import { spawn } from 'node:child_process'
import { constants } from 'node:os'

export interface Forwarded {
  /** As a shell reports it: 128 and the number of the signal, if one ended the program. */
  readonly code: number
  readonly signal?: NodeJS.Signals
}

/** Runs a program in place of this one: with this terminal and working directory. */
export function forward(
  file: string,
  argv: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Forwarded> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, argv, { cwd, env, stdio: 'inherit' })
    // A terminal sends them to the whole group: the program in front decides what they mean.
    const ignored = ['SIGINT', 'SIGQUIT'] as const
    const passedOn = ['SIGTERM', 'SIGHUP'] as const
    const ignore = (): void => {}
    const passOn = (signal: NodeJS.Signals): void => void child.kill(signal)
    for (const signal of ignored) process.on(signal, ignore)
    for (const signal of passedOn) process.on(signal, passOn)
    const done = (): void => {
      for (const signal of ignored) process.off(signal, ignore)
      for (const signal of passedOn) process.off(signal, passOn)
    }
    child.on('error', (error) => {
      done()
      reject(error)
    })
    child.on('close', (code, signal) => {
      done()
      resolve(endOf(code, signal))
    })
  })
}

function endOf(code: number | null, signal: NodeJS.Signals | null): Forwarded {
  if (code !== null || signal === null) return { code: code ?? 1 }
  return { code: 128 + constants.signals[signal], signal }
}

export interface Captured extends Forwarded {
  readonly out: string
  readonly err: string
}

/** The same with its output captured instead of shown. It still reads this process's stdin. */
export function forwardCaptured(
  file: string,
  argv: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Captured> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, argv, { cwd, env, stdio: ['inherit', 'pipe', 'pipe'] })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) =>
      resolve({ ...endOf(code, signal), out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
    )
  })
}
