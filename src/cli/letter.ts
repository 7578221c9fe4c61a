import { type CurrentRun, currentRun } from '../domain/agent/current-run.ts'
import type { InboxItem } from '../domain/agent/inbox.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { post } from '../platform/files/inbox.ts'
import { readInput } from '../platform/terminal/input.ts'
import type { Call } from './command.ts'

/** Leaves word for the supervisor; no store is opened. `instead`: what a person would do. */
export function leaveWord(call: Call, item: InboxItem, instead: string): void {
  const own = currentRun(call.env, call.home)
  if (own === undefined) {
    const message = `fleet ${item.kind} is for agents inside their run, and this is no run of ${call.home.path}`
    throw new AppError('usage', message, { hint: instead })
  }
  postFrom(own, call.home, item)
}

export function postFrom(own: CurrentRun, home: Home, item: InboxItem): void {
  post(home.requireFolder().task(own.task), { v: 1, run: own.run, at: Date.now(), item })
}

/** The words of the command line; a lone `-` stands for standard input. */
export function spokenText(args: readonly string[]): string {
  return (isFromInput(args) ? readInput('-') : args.join(' ')).trim()
}

export function isFromInput(args: readonly string[]): boolean {
  return args.length === 1 && args[0] === '-'
}
