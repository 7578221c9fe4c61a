import { openHomeStore } from '../../app.ts'
import { policyOf } from '../../config/policy.ts'
import { AppError } from '../../errors.ts'
import type { Home } from '../../platform/files/home.ts'
import { wait } from '../../platform/runtime/wait.ts'
import { supervisorAlive } from '../../platform/sqlite/supervisor-lock.ts'
import { isOutputGone } from '../../platform/terminal/output.ts'
import { type Terminal, terminal } from '../../platform/terminal/terminal.ts'
import type { Call, Command } from '../command.ts'
import { configurationOf } from '../follow/configuration.ts'
import { type Snapshot, type SnapshotWish, snapshotOf } from '../follow/snapshot.ts'
import { frame, painted } from '../render/painted.ts'
import { printableJson } from '../render/plain.ts'
import { tasksLines, tasksText } from '../render/tasks.ts'
import { tasksJson } from '../render/tasks-json.ts'

export const tasks: Command = {
  name: 'tasks',
  summary: 'what needs you, and what is running',
  usage: '[--limit N] [--all] [--watch] [--json]',
  about: `What needs a person first: open questions, tasks that fleet blocked, lanes that are paused or down. Then the running
tasks, those of other machines too where machines share the queue. Context is the largest prompt of this attempt, and
its share of the model's window. Values given on the task itself are bold, defaults dim. Where no terminal reads,
columns are separated by tabs and nothing is cut.`,
  examples: ['fleet tasks --watch', 'fleet tasks --all', "fleet tasks --json | jq '.attention'"],
  flags: [
    { name: 'limit', short: 'n', kind: 'number', least: 1, help: 'at most this many of each', default: '50' },
    { name: 'all', short: 'a', kind: 'switch', help: 'also what is queued, what waits and for what, what ended last' },
    { name: 'watch', short: 'w', kind: 'switch', help: 'go on, every second; into a pipe, after every change' },
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
    const snapshot = await look(call.home, wish)
    const screen = terminal(env)
    if (flags.on('json')) call.answer(tasksJson(snapshot))
    else if (screen === undefined) call.print(tasksText(snapshot))
    else call.show(painted(tasksLines(snapshot, screen.columns), screen))
  },
}

const EVERY_MS = 1000

/** Until it is interrupted, or nobody reads any more. Nothing has to be put back, so a signal simply ends it. */
async function watch(call: Call, wish: SnapshotWish): Promise<void> {
  for (let before = ''; !isOutputGone(); await wait(EVERY_MS)) {
    const snapshot = await look(call.home, wish)
    const screen = call.flags.on('json') ? undefined : terminal(call.env)
    if (screen !== undefined) {
      call.show(frame(painted(clipped(tasksLines(snapshot, screen.columns), screen), screen)))
      continue
    }
    const document = printableJson(tasksJson(snapshot))
    if (document === before) continue
    call.print(call.flags.on('json') ? document : `${before === '' ? '' : '\n'}${tasksText(snapshot)}`)
    before = document
  }
}

/** A frame taller than the terminal would scroll, and the next one would not cover it. */
export function clipped<T>(lines: readonly T[], { rows }: Terminal): readonly T[] {
  return lines.slice(0, Math.max(1, rows - 1))
}

export async function look(home: Home, wish: SnapshotWish): Promise<Snapshot> {
  await using store = await openHomeStore(home, { readOnly: true })
  const holder = supervisorAlive(home)
  const { config, trouble } = await configurationOf(home)
  const policy = config && policyOf(config, holder?.flags)
  return await snapshotOf(
    {
      store: store.queue,
      ledger: store.ledger,
      now: Date.now(),
      supervisor: holder === undefined ? undefined : { pid: holder.proc?.pid ?? null },
      configuration: trouble,
      assign: (settings) => policy?.assignment(settings),
    },
    wish,
  )
}
