import { printableJson } from '../../domain/text/plain.ts'
import { AppError } from '../../errors.ts'
import { wait } from '../../platform/runtime/wait.ts'
import { isOutputGone } from '../../platform/terminal/output.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import { snapshotJson } from '../../views/json/snapshot.ts'
import { type SnapshotWish, snapshot } from '../../views/snapshot.ts'
import type { Call, Command } from '../command.ts'
import { EVERY_MS, watchOnTerminal } from '../follow/watch-tasks.ts'
import { painted } from '../render/painted.ts'
import { tasksLines, tasksText } from '../render/tasks.ts'

export const tasks: Command = {
  name: 'tasks',
  summary: 'what needs you, and what is running',
  usage: '[--limit N] [--all] [--watch] [--json]',
  about: `What needs a person first: open questions, tasks that fleet blocked, lanes that are paused or down. Then the running
tasks, those of other machines too where machines share the queue. Context is the largest prompt of this attempt, and
its share of the model's window. Values given on the task itself are bold, defaults dim. With --all the order is turned
round: what matters stands last, nearest the prompt. Where no terminal reads, columns are separated by tabs and nothing
is cut.

--watch on a terminal: j, k, arrows, PgUp and PgDn scroll, ? lists the keys, q quits.`,
  examples: ['fleet tasks --watch', 'fleet tasks --all', "fleet tasks --json | jq '.attention'"],
  flags: [
    { name: 'limit', short: 'n', kind: 'number', least: 1, help: 'at most this many of each', default: '50' },
    { name: 'all', short: 'a', kind: 'switch', help: 'also the queued and waiting tasks, and those that ended last' },
    { name: 'watch', short: 'w', kind: 'switch', help: 'keep printing, every second; into a pipe, after every change' },
    {
      name: 'json',
      kind: 'switch',
      help: 'one JSON document: supervisor, attention, running; with --watch one a line',
    },
  ],
  async run(call) {
    const { flags, args, env } = call
    if (args.length > 0) throw new AppError('usage', `fleet tasks takes no arguments, got ${JSON.stringify(args[0])}`)
    const wish = { limit: flags.number('limit') ?? 50, all: flags.on('all') }
    if (flags.on('watch')) return await watch(call, wish)
    const seen = await snapshot(call.home, wish)
    const screen = terminal(env)
    if (flags.on('json')) call.answer(snapshotJson(seen))
    else if (screen === undefined) call.print(tasksText(seen))
    else call.show(painted(tasksLines(seen, screen.columns), screen))
  },
}

/** Runs until `q`, a signal, or until its reader has gone. */
async function watch(call: Call, wish: SnapshotWish): Promise<void> {
  if (!call.flags.on('json') && terminal(call.env) !== undefined) return await watchOnTerminal(call, wish)
  for (let before = ''; !isOutputGone(); await wait(EVERY_MS)) {
    const seen = await snapshot(call.home, wish)
    const document = printableJson(snapshotJson(seen))
    if (document === before) continue
    call.print(call.flags.on('json') ? document : `${before === '' ? '' : '\n'}${tasksText(seen)}`)
    before = document
  }
}
