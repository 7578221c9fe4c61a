import { type Attention, attentionOf, type BlockedTask } from '../domain/fleet/attention.ts'
import { runningElsewhere } from '../domain/fleet/claimer.ts'
import type { Run } from '../domain/run/run.ts'
import { settingsOf, type TaskSettings } from '../domain/task/settings.ts'
import type { ListedTask } from '../ports/task-store.ts'
import { type Listed, listed } from './first-few.ts'
import { awaitedQuestions, knownOf } from './known.ts'
import { type Rest, type RestSources, restOf } from './rest.ts'

/** All that `fleet tasks` shows, read at one moment. Its cost follows what is open, never what has been. */
export interface Snapshot {
  readonly now: number
  readonly supervisor: Supervisor | undefined
  readonly attention: Listed<Attention>
  readonly running: Listed<RunningTask>
  /** What agents of other machines are at work on, where machines share the queue. */
  readonly elsewhere?: Listed<ElsewhereTask>
  /** Only where everything was asked for. */
  readonly rest?: Rest
}

/** `pid` is null where it has not introduced itself yet. */
export interface Supervisor {
  readonly pid: number | null
}

export interface RunningTask {
  readonly run: Run
  /** What the user gave on the task itself; all else is default. */
  readonly given: TaskSettings
}

export interface ElsewhereTask {
  readonly id: string
  readonly title: string
  readonly machine: string
}

export interface SnapshotSources extends RestSources {
  readonly supervisor: Supervisor | undefined
  /** What is wrong with the configuration. */
  readonly configuration: string | undefined
}

export interface SnapshotWish {
  readonly limit: number
  readonly all: boolean
}

export async function snapshotOf(sources: SnapshotSources, wish: SnapshotWish): Promise<Snapshot> {
  const { store, ledger, now, supervisor, configuration } = sources
  const open = ledger.openRuns()
  const attention = attentionOf({
    now,
    supervisor: supervisor !== undefined,
    running: open.length,
    paused: ledger.paused(),
    configuration,
    lanes: ledger.lanes(),
    questions: (await awaitedQuestions({ queue: store, ledger })).map(({ question }) => question),
    blocked: await blockedTasks(sources, wish.limit),
  })
  const running = listed(open, wish.limit)
  const given = await Promise.all(running.rows.map((run) => store.get(run.task)))
  return {
    now,
    supervisor,
    attention: listed(attention, wish.limit),
    running: {
      rows: running.rows.map((run, i) => ({ run, given: settingsOf(given[i]?.metadata ?? {}) })),
      more: running.more,
    },
    ...(store.records === undefined ? {} : { elsewhere: await elsewhereTasks(sources, wish.limit) }),
    ...(wish.all ? { rest: await restOf(sources, wish.limit) } : {}),
  }
}

async function blockedTasks({ store, ledger }: SnapshotSources, limit: number): Promise<readonly BlockedTask[]> {
  const blocked: ListedTask[] = []
  for await (const task of store.find({ statuses: ['blocked'], sort: 'updated', limit: limit + 1 })) blocked.push(task)
  const ids = blocked.map(({ id }) => id)
  const known = await knownOf({ queue: store, ledger }, ids)
  return blocked.map(({ id, title, labels }) => {
    const { state, last } = known(id)
    return { task: id, title, labels, state, lastRun: last }
  })
}

async function elsewhereTasks({ store, ledger }: SnapshotSources, limit: number): Promise<Listed<ElsewhereTask>> {
  const hosts = (await store.hosts?.all()) ?? []
  const rows: ElsewhereTask[] = []
  for await (const task of store.find({ statuses: ['in_progress'], sort: 'updated' })) {
    const at = ledger.openRunOf(task.id) === undefined ? runningElsewhere(task, hosts) : undefined
    if (at !== undefined) rows.push({ id: task.id, title: task.title, machine: at.machine })
    if (rows.length > limit) break
  }
  return listed(rows, limit)
}
