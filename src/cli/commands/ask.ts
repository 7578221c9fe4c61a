import { OPTIONS_LIMIT } from '../../domain/agent/inbox.ts'
import { AppError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { tellSupervisor, textFrom } from '../letter.ts'

export const ask: Command = {
  name: 'ask',
  summary: 'an agent asks a person a question',
  usage: '<question> [--option <text>]… [--default <text>]',
  about: `For an agent, inside its run: asks a person, and returns at once. The task waits without holding a slot until it
is answered, and then continues with the answer. '-' reads the question from standard input.`,
  examples: ['fleet ask "Which database?" --option sqlite --option postgres --default sqlite'],
  flags: [
    { name: 'option', kind: 'many', value: 'text', help: 'One possible answer (repeatable)' },
    { name: 'default', kind: 'text', help: 'The answer you suggest; it is never taken by itself' },
  ],
  async run(call) {
    const text = textFrom(call.args)
    const refuse = (message: string) =>
      new AppError('usage', message, { hint: 'fleet ask "Which database?" --option sqlite --option postgres' })
    if (text === '') throw refuse('there is no question')
    const options = call.flags.all('option').filter((option) => option.trim() !== '')
    if (options.length > OPTIONS_LIMIT) throw refuse(`${options.length} options; at most ${OPTIONS_LIMIT} can be given`)
    const suggestion = call.flags.text('default')?.trim() ?? ''
    const item = { kind: 'ask', text, options, ...(suggestion === '' ? {} : { suggestion }) } as const
    tellSupervisor(call, item, 'a person comments with fleet bd comment <id> <text>')
    call.print('Asked. Stop now, without guessing the answer; your task continues when a person has answered.')
  },
}
