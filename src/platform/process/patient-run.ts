export type PatientRun =
  | { readonly kind: 'ended'; readonly code: number | null; readonly out: string; readonly err: string }
  /** It did not end in time, and was made to: what it had begun to write may or may not be there. */
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'not-started'; readonly why: string }

export interface PatientWish {
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  /** Between SIGTERM and SIGKILL: a program that is killed while it writes may leave a broken file. */
  readonly graceMs: number
  readonly input?: string
}

/** What it says on stderr beyond this is not read. */
const ERR_LIMIT = 65_536

/** Runs a program that keeps data of its own to its end, and takes all it says. */
export async function patientRun(file: string, wish: PatientWish): Promise<PatientRun> {
  const { argv, env, timeoutMs, graceMs, input } = wish
  // Loaded here, because commands on a local queue never come this way.
  const { spawn } = process.getBuiltinModule('node:child_process')
  return await new Promise((resolve) => {
    const child = spawn(file, argv, { cwd: '/', env, stdio: ['pipe', 'pipe', 'pipe'] })
    const out: Buffer[] = []
    let err = ''
    let late = false
    const timers: NodeJS.Timeout[] = []
    const settle = (run: PatientRun): void => {
      for (const timer of timers) clearTimeout(timer)
      child.stdout.destroy()
      child.stderr.destroy()
      resolve(run)
    }
    timers.push(
      setTimeout(() => {
        late = true
        child.kill('SIGTERM')
        timers.push(setTimeout(() => child.kill('SIGKILL'), graceMs))
      }, timeoutMs),
    )
    child.stdin.on('error', () => {}) // it may end without having read it
    child.stdin.end(input ?? '')
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => {
      if (err.length < ERR_LIMIT) err += chunk.toString('utf8')
    })
    const ended = (code: number | null): void =>
      settle(
        late
          ? { kind: 'timed-out', afterMs: timeoutMs }
          : { kind: 'ended', code, out: Buffer.concat(out).toString('utf8'), err },
      )
    child.on('error', (error) => settle({ kind: 'not-started', why: error.message }))
    child.on('close', ended)
    // A grandchild may hold the pipes open for as long as it likes.
    child.on('exit', (code) => timers.push(setTimeout(() => ended(code), 1000)))
  })
}
