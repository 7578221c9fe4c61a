import { type BdCall, BdFailure } from '../command.ts'

/** Checks the number of arguments with bd's messages, which are plain text even with --json. */

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
