import { retryTask } from '../../domain/fleet/steering.ts'
import { withFreshAttempts } from '../../domain/run/retry.ts'
import { AppError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { steer } from '../steer/steer.ts'

export const retry: Command = {
  name: 'retry',
  summary: 'a fresh set of attempts for blocked or waiting tasks',
  usage: '<id>...',
  about: `A fresh set of attempts: what was counted against the task is forgotten, it waits for no retry or limit any more, and
if it was blocked it is open again. What earlier attempts left stays.`,
  flags: [],
  async run(call) {
    if (call.args.length === 0) throw new AppError('usage', 'fleet retry takes one or more task ids')
    return await steer(call, call.args, {
      decide: retryTask,
      state: withFreshAttempts,
      done: 'is open, with a fresh set of attempts',
    })
  },
}
