import { retryTasks } from '../../actions/retry.ts'
import { AppError } from '../../errors.ts'
import { actionContext } from '../action-context.ts'
import type { Command } from '../command.ts'
import { printSteered } from '../steered.ts'

export const retry: Command = {
  name: 'retry',
  summary: 'a fresh set of attempts for blocked or waiting tasks',
  usage: '<id>... [--note TEXT]',
  about: `A fresh set of attempts: the failures counted against the task are forgotten, it no longer waits for a retry or a limit,
and if it was blocked it is open again. The files of earlier attempts stay. --note says something to the next
attempt: it is a comment on the task, and the next prompt has it.`,
  examples: ['fleet retry fleet-a1b', 'fleet retry fleet-a1b --note "the test server is up again"'],
  flags: [{ name: 'note', kind: 'text', value: 'text', help: 'a comment for the next attempt' }],
  async run(call) {
    if (call.args.length === 0) throw new AppError('usage', 'fleet retry takes one or more task ids')
    const note = call.flags.text('note')
    const steered = await retryTasks(actionContext(call), call.args, { note })
    return printSteered(call, steered, 'is open, with a fresh set of attempts')
  },
}
