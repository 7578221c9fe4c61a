import { type Attention, attentionOf, type BlockedTask } from '../../domain/attention.ts'
import type { Run, TaskState } from '../../domain/run.ts'
import { settingsOf, type TaskSettings } from '../../domain/settings.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { TaskStore } from '../../ports/task-store.ts'

/** All that `fleet tasks` shows, read at one moment. Its cost follows what is open, never what has been. */
export interface Snapshot {
  readonly now: number
  readonly supervisor: Supervisor | undefined
  readonly attention: Listed<Attention>
  readonly running: Listed<RunningTask>
  /** Only where everything was asked for. */
  readonly rest?: Rest
}

/** `pid` is null where it has not introduced itself yet. */
export interface Supervisor {
  readonly pid: number | null
}

export interface Rest {
  readonly queued: Listed<QueuedTask>
  readonly waiting: Listed<WaitingTask>
  readonly ended: readonly Run[]
}

/** The first of them, and whether there are more. */
export interface Listed<T> {
  readonly rows: readonly T[]
  readonly more: boolean
}

export interface RunningTask {
  readonly run: Run
  /** What the user gave on the task itself; all else is default. */
  readonly given: TaskSettings
}

export interface QueuedTask {
  readonly id: string
  readonly title: string
  readonly priority: number
  readonly given: TaskSettings
}

export interface WaitingTask {
  readonly id: string
  readonly title: string
  readonly state: TaskState
}

export interface SnapshotSources {
  readonly store: TaskStore
  readonly ledger: Ledger
  readonly now: number
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
    questions: ledger.openQuestions(),
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
    ...(wish.all ? { rest: await restOf(sources, wish.limit) } : {}),
  }
}

async function restOf({ store, ledger }: SnapshotSources, limit: number): Promise<Rest> {
  const ready = listed(await store.ready({ limit: limit + 1 }), limit)
  const states = listed(ledger.waiting(limit + 1), limit)
  const tasks = await Promise.all(states.rows.map((state) => store.get(state.task)))
  return {
    queued: {
      rows: ready.rows.map(({ id, title, priority, metadata }) => ({
        id,
        title,
        priority,
        given: settingsOf(metadata),
      })),
      more: ready.more,
    },
    waiting: {
      // A task that is blocked, closed or gone does not wait for a time.
      rows: states.rows.flatMap((state, i) => {
        const task = tasks[i]
        return task?.status === 'open' ? [{ id: state.task, title: task.title, state }] : []
      }),
      more: states.more,
    },
    ended: ledger.recentlyEnded(limit),
  }
}

async function blockedTasks({ store, ledger }: SnapshotSources, limit: number): Promise<readonly BlockedTask[]> {
  const blocked: BlockedTask[] = []
  for await (const { id, title, labels } of store.find({ statuses: ['blocked'], sort: 'updated', limit: limit + 1 })) {
    blocked.push({ task: id, title, labels, state: ledger.stateOf(id), lastRun: ledger.runsOf(id).at(-1) })
  }
  return blocked
}

function listed<T>(rows: readonly T[], limit: number): Listed<T> {
  return { rows: rows.slice(0, limit), more: rows.length > limit }
}
