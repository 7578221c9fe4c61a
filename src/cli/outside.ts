import { callOutside } from '../actions/call-outside.ts'
import { refusalOutside } from '../domain/agent/outside-call.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { readInput } from '../platform/terminal/input.ts'
import { writeErr, writeOut } from '../platform/terminal/output.ts'

/** A command in a sandbox: the supervisor runs it outside, and its output is printed here. */
export async function runOutside(
  argv: readonly string[],
  { home, env }: { readonly home: Home; readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  const refusal = refusalOutside(argv)
  if (refusal !== undefined) {
    throw new AppError('unsupported', refusal, { hint: 'fleet bd, show, ready, tasks, done, ask and note do' })
  }
  const input = argv.some((word) => word === '--stdin' || /(?:^|=)-$/.test(word)) ? readInput('-') : undefined
  const { code, out, err } = await callOutside({ home, env, argv, input })
  // The command outside has made it safe to print.
  writeOut(out)
  writeErr(err)
  return code
}
