import { postLetter } from '../actions/post-letter.ts'
import type { InboxItem } from '../domain/agent/inbox.ts'
import { AppError } from '../errors.ts'
import { readInput } from '../platform/terminal/input.ts'
import type { Call } from './command.ts'

/** Posts what the calling agent tells the supervisor. `instead`: the hint for a person who calls this command. */
export function tellSupervisor({ env, home }: Call, item: InboxItem, instead: string): void {
  if (postLetter({ home, env, item }) === 'posted') return
  const message = `fleet ${item.kind} is for agents inside their run, and this is no run of ${home.path}`
  throw new AppError('usage', message, { hint: instead })
}

/** The words of the command line; a lone `-` stands for standard input. */
export function textFrom(args: readonly string[]): string {
  return (isFromInput(args) ? readInput('-') : args.join(' ')).trim()
}

export function isFromInput(args: readonly string[]): boolean {
  return args.length === 1 && args[0] === '-'
}
