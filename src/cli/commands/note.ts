import { AppError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { tellSupervisor, textFrom } from '../letter.ts'

export const note: Command = {
  name: 'note',
  summary: 'an agent leaves a note on its task',
  usage: '<text>',
  about: `For an agent, inside its run: leaves a note for the people who follow the task. '-' reads it from standard input.`,
  examples: ['fleet note "The flaky test is unrelated: it fails on main too"'],
  flags: [],
  async run(call) {
    const text = textFrom(call.args)
    if (text === '') throw new AppError('usage', 'there is no text', { hint: 'fleet note "what people should know"' })
    tellSupervisor(call, { kind: 'note', text }, 'a person comments with fleet bd comment <id> <text>')
    call.print('Noted. Continue.')
  },
}
