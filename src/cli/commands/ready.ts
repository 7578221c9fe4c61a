import { plainLine } from '../../domain/text/plain.ts'
import { AppError } from '../../errors.ts'
import { readyTasks } from '../../views/ready.ts'
import type { Command } from '../command.ts'

export const ready: Command = {
  name: 'ready',
  summary: 'tasks that can start now, in the order they will be claimed',
  usage: '[--limit N] [--json]',
  about: 'Tasks that can start now, in the order they will be claimed: priority, then oldest.',
  flags: [
    { name: 'limit', short: 'n', kind: 'number', least: 0, help: 'at most this many; 0 for all', default: '20' },
    { name: 'json', kind: 'switch', help: 'one JSON array: id, title, priority, cwd, coder, model' },
  ],
  async run({ home, flags, args, print, warn, answer }) {
    if (args.length > 0) throw new AppError('usage', `fleet ready takes no arguments, got ${JSON.stringify(args[0])}`)
    const limit = flags.number('limit') ?? 20
    const { rows: tasks, more } = await readyTasks(home, { limit })
    if (flags.on('json')) return answer(tasks)
    if (tasks.length === 0) return print('Nothing is ready.')
    const width = Math.max(...tasks.map((task) => task.id.length))
    const line = (task: (typeof tasks)[number]) =>
      `${task.id.padEnd(width)}  ${plainLine(task.title)}${task.cwd === undefined ? '' : `  [${plainLine(task.cwd)}]`}`
    print(tasks.map(line).join('\n'))
    if (more) warn(`more are ready; fleet ready --limit 0 shows all`)
  },
}
