import {
  type Captured,
  forwardCaptured as capture,
  type Forwarded,
  forward as passOn,
} from '../../../platform/process/forward.ts'
import { writeErr } from '../../../platform/terminal/output.ts'

interface How {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Runs bd on the user's terminal. Returns its exit code; says so if bd was killed, because bd itself then says nothing. */
export async function forward(file: string, argv: readonly string[], how: How): Promise<number> {
  const ended = await passOn(file, argv, how)
  sayIfKilled(ended)
  return ended.code
}

/** The same with bd's output captured. `killed`: the message is printed already. */
export async function forwardCaptured(
  file: string,
  argv: readonly string[],
  how: How,
): Promise<Captured & { readonly killed: boolean }> {
  const ended = await capture(file, argv, how)
  sayIfKilled(ended)
  return { ...ended, killed: ended.signal !== undefined && !BY_THE_USER.has(ended.signal) }
}

/** From the keyboard: the user knows. */
const BY_THE_USER: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT', 'SIGPIPE'])

function sayIfKilled({ signal }: Forwarded): void {
  if (signal === undefined || BY_THE_USER.has(signal)) return
  writeErr(
    `Error: bd was killed by ${signal} before it had finished: what it was asked to do may be done or not\nHint: look with fleet bd list or fleet bd show before you run it again\n`,
  )
}
