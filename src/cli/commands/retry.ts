import { retryTasks } from '../../actions/retry.ts'
import { AppError } from '../../errors.ts'
import { actionContext } from '../action-context.ts'
import type { Command } from '../command.ts'
import { printSteered } from '../steered.ts'

export const retry: Command = {
  name: 'retry',
  summary: 'a fresh set of attempts for blocked or waiting tasks',
  usage: '<id>...',
  about: `A fresh set of attempts: the failures counted against the task are forgotten, it no longer waits for a retry or a limit,
and if it was blocked it is open again. The files of earlier attempts stay.`,
  flags: [],
  async run(call) {
    if (call.args.length === 0) throw new AppError('usage', 'fleet retry takes one or more task ids')
    return printSteered(call, await retryTasks(actionContext(call), call.args), 'is open, with a fresh set of attempts')
  },
}
