import { type Assignment, keptAssignment } from '../domain/fleet/assignment.ts'
import type { Run, TaskState } from '../domain/run/run.ts'
import { type Spent, spentBy } from '../domain/run/spent.ts'
import { settingsOf, type TaskSettings } from '../domain/task/settings.ts'
import { isWork, NOT_WORK, type Task } from '../domain/task/task.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { TaskFilter, TaskStore } from '../ports/task-store.ts'
import { firstFitting, type Listed, listed } from './first-few.ts'
import type { Hold } from './hold.ts'
import { type OwnStatuses, ownStatusesIn } from './own-status.ts'

/** Tasks that are not running: those to start next, those that wait, and those that ended. */
export interface NotRunning {
  readonly queued: Listed<QueuedTask>
  readonly waiting: Listed<WaitingTask>
  readonly ended: Listed<EndedTask>
}

export interface QueuedTask {
  readonly id: string
  readonly title: string
  readonly priority: number
  readonly given: TaskSettings
  /** The coder and model it will get; undefined: the configuration cannot be read. */
  readonly assignment: Assignment | undefined
}

export interface WaitingTask {
  readonly id: string
  readonly title: string
  readonly hold: Hold
}

/** A task that gets no further attempt by itself. The number of its last attempt is the count of its attempts. */
export interface EndedTask {
  readonly last: Run
  /** The total of its attempts on this machine. */
  readonly spent: Spent
  /** undefined: the task was deleted. */
  readonly status: string | undefined
}

export interface NotRunningSources {
  readonly store: TaskStore
  readonly ledger: Ledger
  readonly now: number
  /** The coder and model for a task with these settings; undefined: the configuration cannot be read. */
  assign(settings: TaskSettings): Assignment | undefined
}

export async function notRunning(sources: NotRunningSources, limit: number): Promise<NotRunning> {
  const own = await ownStatusesIn(sources.store)
  return {
    queued: await queuedTasks(sources, limit),
    waiting: await waitingTasks(sources, { limit, own }),
    ended: await endedTasks(sources, { limit, own }),
  }
}

/** Ready, and not kept back by a retry or a lane; in claim order. */
export async function queuedTasks(
  { store, ledger, now, assign }: NotRunningSources,
  limit: number,
): Promise<Listed<QueuedTask>> {
  return await firstFitting(limit, {
    read: (most) => store.ready({ limit: most }),
    fitting: async ({ id, title, priority, metadata }) => {
      const state = ledger.stateOf(id)
      if (isKeptBack(state, now)) return undefined
      const given = settingsOf(metadata)
      const assignment = assign(given)
      return { id, title, priority, given, assignment: assignment && keptAssignment(assignment, state) }
    },
  })
}

/** A wait without a time ends when its lane recovers. */
function isKeptBack({ waiting, waitingUntil }: TaskState, now: number): boolean {
  return waiting !== null && (waitingUntil === null || waitingUntil > now)
}

interface Wish {
  readonly limit: number
  readonly own: OwnStatuses | undefined
}

async function waitingTasks(sources: NotRunningSources, { limit, own }: Wish): Promise<Listed<WaitingTask>> {
  const found = new Map<string, WaitingTask>()
  // A reason that people or other tasks must remove comes before one that time removes.
  for (const each of [
    ...(await heldUp(sources)),
    ...(await deferred(sources, limit)),
    ...(await later(sources, limit)),
    ...(await ofOwnStatus(sources, { limit, own })),
  ])
    if (!found.has(each.id)) found.set(each.id, each)
  const soonest = ({ hold }: WaitingTask) => hold.until ?? Number.POSITIVE_INFINITY
  const rows = [...found.values()].sort((a, b) => (soonest(a) < soonest(b) ? -1 : soonest(a) > soonest(b) ? 1 : 0))
  return listed(rows, limit)
}

/** Neither closed, nor claimed, nor blocked. */
const OPEN: TaskFilter = { statuses: ['open', 'deferred'], notTypes: NOT_WORK, template: false, ephemeral: false }

async function heldUp({ store }: NotRunningSources): Promise<WaitingTask[]> {
  const blocked = await store.blocked(OPEN)
  return blocked.map(({ task: { id, title }, blockedBy }) => {
    return { id, title, hold: { kind: 'blocked' as const, by: blockedBy, until: null } }
  })
}

/** Deferred tasks, and the children of deferred tasks and epics: they wait for the same day. */
async function deferred({ store, now }: NotRunningSources, limit: number): Promise<WaitingTask[]> {
  const { notTypes: _any, ...ofAnyType } = OPEN
  const rows: WaitingTask[] = []
  for await (const { id, title, issue_type, defer_until } of store.find({ ...ofAnyType, deferred: true })) {
    const until = defer_until === null ? null : Date.parse(defer_until)
    if (until !== null && until <= now) continue
    if (isWork(issue_type)) rows.push({ id, title, hold: { kind: 'deferred', by: undefined, until } })
    for await (const child of store.find({ ...OPEN, parent: id, recursive: true, limit: limit + 1 }))
      rows.push({ id: child.id, title: child.title, hold: { kind: 'deferred', by: id, until } })
  }
  return rows
}

async function later({ store, ledger, now }: NotRunningSources, limit: number): Promise<readonly WaitingTask[]> {
  const { rows } = await firstFitting(limit + 1, {
    read: async (most) => ledger.waiting(most),
    fitting: async (state) => {
      // A blocked, closed or deleted task does not wait for a time.
      const task = isKeptBack(state, now) ? await store.get(state.task) : undefined
      if (task?.status !== 'open') return undefined
      const hold = { kind: 'later' as const, reason: state.waiting ?? '', until: state.waitingUntil }
      return { id: task.id, title: task.title, hold }
    },
  })
  return rows
}

/** Tasks with a status that people named themselves. */
async function ofOwnStatus({ store }: NotRunningSources, { limit, own }: Wish): Promise<WaitingTask[]> {
  if (own === undefined) return []
  const { statuses: _any, ...work } = OPEN
  const rows: WaitingTask[] = []
  for await (const { id, title, status } of store.find({ ...work, notStatuses: own.others, limit: limit + 1 }))
    rows.push({ id, title, hold: { kind: 'status', status, until: null } })
  return rows
}

async function endedTasks({ store, ledger }: NotRunningSources, { limit, own }: Wish): Promise<Listed<EndedTask>> {
  const seen = new Set<string>()
  const { rows, more } = await firstFitting(limit, {
    read: async (most) => {
      seen.clear()
      return ledger.recentlyEnded(most)
    },
    fitting: async (last) => {
      if (seen.has(last.task)) return undefined
      seen.add(last.task)
      if (ledger.openRunOf(last.task) !== undefined) return undefined
      const task = await store.get(last.task)
      return isPending(task, own) ? undefined : { last, status: task?.status }
    },
  })
  // Summed only for the rows that are shown.
  return { rows: rows.map((row) => ({ ...row, spent: spentBy(ledger.runsOf(row.last.task)) })), more }
}

/** It is queued, waits, or is claimed. */
function isPending(task: Task | undefined, own: OwnStatuses | undefined): boolean {
  if (task === undefined) return false
  return ['open', 'in_progress', 'deferred'].includes(task.status) || own?.includes(task.status) === true
}
