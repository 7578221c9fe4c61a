import { spawn } from 'node:child_process'

export type OutputOf =
  | { readonly kind: 'ended'; readonly code: number | null; readonly out: Buffer; readonly err: string }
  /** Why there is no whole answer: it was not started, took too long, or said too much. */
  | { readonly kind: 'failed'; readonly why: string }

export interface OutputWish {
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  readonly maxBytes: number
  /** Nobody waits for it any more. */
  readonly signal?: AbortSignal
}

/** Runs a program to its end and takes all it says on stdout. At a bound its whole process group goes. */
export function outputOf(file: string, { argv, env, timeoutMs, maxBytes, signal }: OutputWish): Promise<OutputOf> {
  return new Promise((resolve) => {
    const child = spawn(file, argv, { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    let size = 0
    let err = ''
    const settle = (output: OutputOf): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      child.stdout.destroy()
      child.stderr.destroy()
      resolve(output)
    }
    const end = (why: string): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Already gone.
      }
      settle({ kind: 'failed', why })
    }
    const abort = (): void => end('was ended')
    const timer = setTimeout(() => end(`took longer than ${timeoutMs} ms`), timeoutMs)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort)
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) end(`said more than ${maxBytes} bytes`)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (err.length < 4096) err += chunk.toString('utf8')
    })
    child.on('error', (error) => settle({ kind: 'failed', why: `could not be started: ${error.message}` }))
    child.on('close', (code) => settle({ kind: 'ended', code, out: Buffer.concat(chunks), err }))
  })
}
