import { type BdCall, BdFailure } from '../command.ts'

/** How many words a command takes, in the messages bd has for it. They are plain text even where --json is given. */

export function exactly(call: BdCall, count: number): readonly string[] {
  if (call.args.length !== count) throw refuse(`accepts ${count} arg(s), received ${call.args.length}`)
  return call.args
}

export function atLeast(call: BdCall, count: number): readonly string[] {
  if (call.args.length < count) throw refuse(`requires at least ${count} arg(s), only received ${call.args.length}`)
  return call.args
}

export function atMost(call: BdCall, count: number): readonly string[] {
  if (call.args.length > count) throw refuse(`accepts at most ${count} arg(s), received ${call.args.length}`)
  return call.args
}

export function refuse(message: string): BdFailure {
  return new BdFailure(message, { json: 'text' })
}
