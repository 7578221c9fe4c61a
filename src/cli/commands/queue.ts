import { queueName, queueUsage } from '../../config/kinds.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import { AppError } from '../../errors.ts'
import { version } from '../../version.ts'
import { moveJson } from '../../views/json/move.ts'
import type { Command } from '../command.ts'
import { moveLines } from '../render/move.ts'

const migrate: Command = {
  name: 'migrate',
  summary: 'move all tasks to another queue',
  usage: `--to ${queueUsage} [--dry-run] [--json]`,
  about: `Moves every task of the home, closed ones too, with settings, labels, dependencies, comments and history, to another
queue, and makes that the queue of the home. All that was written is read back and compared before anything changes; the
old queue is only read, and kept. Refused while a supervisor or an agent is at work, and where other tasks are already.`,
  examples: [
    'fleet queue migrate --to beads --dry-run',
    'fleet queue migrate --to postgres://me@db.example/fleet',
    'fleet queue migrate --to local',
  ],
  flags: [
    {
      name: 'to',
      kind: 'text',
      help: `where the tasks are to be kept: ${queueName.expected}`,
      value: 'queue',
    },
    { name: 'dry-run', kind: 'switch', help: 'say what would be moved, and change nothing' },
    { name: 'json', kind: 'switch', help: 'one JSON document' },
  ],
  async run({ home, flags, args, env, print, warn, answer }) {
    if (args.length > 0)
      throw new AppError('usage', `fleet queue migrate does not take ${JSON.stringify(args[0])}`, {
        hint: `fleet queue migrate --to ${queueUsage}`,
      })
    const to = flags.text('to') ?? ''
    if (queueName.read(to) === undefined) {
      const what = to === '' ? 'fleet queue migrate needs --to' : `--to is ${JSON.stringify(to)}`
      throw new AppError('usage', `${what}, expected ${queueName.expected}`)
    }
    const { migrate: move } = await import('../../migration/migrate.ts')
    using steps = slowSteps(warn)
    const moved = await move(home, {
      to,
      dryRun: flags.on('dry-run'),
      env,
      version,
      now: Date.now(),
      step: steps.begin,
    })
    steps[Symbol.dispose]()
    if (flags.on('json')) return answer(moveJson(moved))
    for (const line of moveLines(moved)) print(line)
  },
}

export const queue: Command = {
  name: 'queue',
  summary: 'move the tasks to another queue',
  usage: 'migrate',
  flags: [],
  subcommands: [migrate],
  async run({ args }) {
    const what =
      args[0] === undefined ? 'fleet queue needs migrate' : `unknown command ${JSON.stringify(`queue ${args[0]}`)}`
    throw new AppError('usage', what, { hint: 'fleet queue migrate --help' })
  },
}

const SLOW_MS = 1000
/** A step on more tasks than this takes over a second, and keeps this process too busy to report it later. */
const MANY = 2000

/** Reports a step that lasts longer than a second, or surely will. */
function slowSteps(warn: (line: string) => void): Disposable & { begin(what: string, tasks: number): void } {
  let timer: NodeJS.Timeout | undefined
  return {
    begin(what, tasks) {
      clearTimeout(timer)
      const line = `${what}${tasks > 0 ? ` (${pluralize(tasks, 'task')})` : ''} ...`
      if (tasks > MANY) warn(line)
      else timer = setTimeout(() => warn(line), SLOW_MS)
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
