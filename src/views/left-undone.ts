import { openHomeStore } from '../app.ts'
import type { Waiting } from '../domain/fleet/waiting.ts'
import type { Home } from '../platform/files/home.ts'
import { taskViewIn } from './task.ts'

/** A task that a supervisor could not bring to an end. */
export interface LeftTask {
  readonly id: string
  readonly title: string
  readonly waiting: Waiting
}

export interface LeftUndone {
  readonly now: number
  /** That this machine would have worked on. */
  readonly tasks: readonly LeftTask[]
  /** That other machines or people must take. */
  readonly elsewhere: readonly LeftTask[]
}

/** Read one by one for their reasons, so no more than these. */
const MOST = 200

/** The open tasks that nothing but a lane, a pause or fleet's own delay keeps from running. */
export async function leftUndone(home: Home): Promise<LeftUndone> {
  await using store = await openHomeStore(home, { readOnly: true })
  const { queue, ledger } = store
  const ready = await queue.ready({ limit: MOST })
  const ids = new Set([...ready.map(({ id }) => id), ...ledger.waiting(MOST).map(({ task }) => task)])
  const left: LeftTask[] = []
  for (const id of ids) {
    const task = await queue.get(id)
    if (task?.status !== 'open') continue
    const { waiting } = await taskViewIn(home, store, task)
    if (!NOT_STARTABLE.has(waiting.kind)) left.push({ id, title: task.title, waiting })
  }
  return {
    now: Date.now(),
    tasks: left.filter(({ waiting }) => !FOR_OTHERS.has(waiting.kind)),
    elsewhere: left.filter(({ waiting }) => FOR_OTHERS.has(waiting.kind)),
  }
}

const NOT_STARTABLE: ReadonlySet<Waiting['kind']> = new Set(['blocked', 'deferred', 'no-work', 'assigned'])
const FOR_OTHERS: ReadonlySet<Waiting['kind']> = new Set(['machine', 'directory'])
