import { openLocalQueue } from '../../app.ts'
import { defaultsFor } from '../../config/defaults.ts'
import { loadConfig } from '../../config/load.ts'
import { assignmentOf, type Chosen } from '../../domain/assignment.ts'
import { settingsOf } from '../../domain/settings.ts'
import { NOT_WORK, type Task } from '../../domain/task.ts'
import { rfc3339 } from '../../domain/time.ts'
import { type Waiting, waitingFor } from '../../domain/waiting.ts'
import { AppError } from '../../errors.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import { ambiguity } from '../bd/resolve.ts'
import { detailsJson } from '../bd/show-json.ts'
import type { Command } from '../command.ts'
import { shownLines, whyNot } from '../render/show.ts'

export const show: Command = {
  name: 'show',
  summary: 'one task: what it is, who would work on it, and why it is not running',
  usage: '<id> [--json]',
  about: `One task: what it is, where it runs, with which coder and model, and why it is not running if it is not.
Values that were not given on the task itself are marked (default).`,
  examples: ['fleet show fleet-a1b', 'fleet show a1b --json | jq .fleet'],
  flags: [{ name: 'json', kind: 'switch', help: "bd's show document in its envelope, and a fleet object beside it" }],
  async run({ home, flags, args, print, answer }) {
    const [text, more] = args
    if (text === undefined || more !== undefined) {
      throw new AppError('usage', `fleet show takes one task id${more === undefined ? '' : `, got ${args.length}`}`, {
        hint: 'fleet bd list shows the ids',
      })
    }
    await using store = openLocalQueue(home, { readOnly: true })
    const task = await find(store, text)
    const settings = settingsOf(task.metadata)
    const cwd: Chosen<string | undefined> = { value: settings.cwd, given: settings.cwd !== undefined }
    const { config } = await loadConfig(home.config)
    const assignment = assignmentOf(settings, defaultsFor(config, settings.cwd))
    const waiting = await waitingOf(store, task)
    if (!flags.on('json')) {
      for (const line of shownLines({ task, cwd, assignment, waiting })) print(line)
      return
    }
    answer({
      schema_version: 1,
      data: [await detailsJson(store, task)],
      fleet: {
        cwd: cwd.value ?? null,
        coder: assignment.coder.value,
        model: assignment.model.value ?? null,
        defaults: Object.entries({ cwd, ...assignment }).flatMap(([name, { given }]) => (given ? [] : [name])),
        waiting: { ...waiting, text: whyNot(waiting) },
      },
    })
  },
}

async function find(store: TaskStore, text: string): Promise<Task> {
  const match = await store.resolve(text)
  if (match.kind === 'ambiguous') throw new AppError('not-found', ambiguity(text, match.ids))
  const task = match.kind === 'found' ? await store.get(match.id) : undefined
  if (task !== undefined) return task
  const near = match.kind === 'unknown' ? match.near : []
  throw new AppError('not-found', `no task ${JSON.stringify(text)}`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'fleet bd list --all shows every task',
  })
}

async function waitingOf(store: TaskStore, task: Task): Promise<Waiting> {
  const [blocked] = await store.blocked({ ids: [task.id] })
  return waitingFor(task, {
    blockedBy: blocked?.blockedBy ?? [],
    ready: (await store.count({ ids: [task.id], ready: true })) > 0,
    isWork: !(NOT_WORK as readonly string[]).includes(task.issue_type),
    supervisor: false,
    now: rfc3339(Date.now()),
  })
}
