import type { Steered } from '../actions/steer.ts'
import { AppError } from '../errors.ts'
import type { Call } from './command.ts'

/** Prints what happened to each task; `done` follows the id of a changed one. Exit 5 if a task was refused. */
export function printSteered({ print, warn }: Call, steered: readonly Steered[], done: string): number {
  let code = 0
  for (const each of steered) {
    switch (each.kind) {
      case 'changed':
        print(`${each.task} ${done}`)
        break
      case 'unchanged':
        print(`${each.task} ${each.why}`)
        break
      case 'interrupted':
        print(`${each.task}${each.machine === undefined ? '' : ` on ${each.machine}`}: ${each.answer}`)
        break
      case 'refused':
        code = printRefused({ warn }, each)
        break
      case 'failed':
        throw each.error
    }
  }
  return code
}

/** The exit code of a conflict. */
export function printRefused(
  { warn }: Pick<Call, 'warn'>,
  { task, why, hint }: { task: string; why: string; hint: string },
): number {
  warn(`fleet: ${task} ${why}\n  ${hint}`)
  return new AppError('conflict', why).exitCode
}

/** Throws the first failure and prints the others before it. */
export function throwFirst({ warn }: Pick<Call, 'warn'>, [first, ...more]: readonly AppError[]): void {
  for (const { message } of more) warn(`fleet: ${message}`)
  if (first !== undefined) throw first
}
