import { AppError } from '../../errors.ts'
import { questionsJson } from '../../views/json/questions.ts'
import { openQuestions } from '../../views/questions.ts'
import type { Command } from '../command.ts'
import { questionLines } from '../render/questions.ts'

export const questions: Command = {
  name: 'questions',
  summary: 'what agents ask, oldest first',
  usage: '[--json]',
  about: `Open questions of agents, oldest first; where machines share the queue, those of all machines. Their tasks wait,
without holding a slot, until they are answered.`,
  examples: ['fleet questions', 'fleet answer fleet-a1b "Use SQLite"'],
  flags: [
    { name: 'json', kind: 'switch', help: 'one JSON array: task, title, asked_at, question, options, default, run' },
  ],
  async run({ home, flags, args, print, answer }) {
    if (args.length > 0)
      throw new AppError('usage', `fleet questions takes no arguments, got ${JSON.stringify(args[0])}`)
    const open = await openQuestions(home)
    if (flags.on('json')) return answer(questionsJson(open))
    if (open.length === 0) return print('No open questions.')
    const now = Date.now()
    print(open.map((each) => questionLines(each, now).join('\n')).join('\n\n'))
  },
}
