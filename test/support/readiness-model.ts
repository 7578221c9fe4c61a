import { NOT_WORK } from '../../src/domain/task/task.ts'

/** The rule of readiness, computed from tasks and edges alone: slow, short, and with nothing stored that could go stale. */

export interface ModelTask {
  readonly seq: number
  readonly id: string
  readonly status: string
  readonly priority: number
  readonly issue_type: string
  readonly assignee: string
  readonly created_at: string
  readonly defer_until: string | null
  readonly pinned: number
}

export interface ModelEdge {
  readonly issue_id: string
  readonly depends_on_id: string
  readonly type: string
  readonly metadata: string
}

export interface Readiness {
  readonly blocked: (id: string) => boolean
  readonly heldUntil: (id: string) => string | null
  /** Ids in claim order. */
  readonly ready: (now: string) => string[]
}

export function readinessOf(tasks: readonly ModelTask[], edges: readonly ModelEdge[]): Readiness {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const settled = (id: string) => ['closed', 'pinned', undefined].includes(byId.get(id)?.status)
  const from = (id: string, ...types: string[]) =>
    edges.filter((edge) => edge.issue_id === id && types.includes(edge.type))
  const childrenOf = (id: string) =>
    edges.filter((edge) => edge.depends_on_id === id && edge.type === 'parent-child').map((edge) => edge.issue_id)

  const shut = (edge: ModelEdge): boolean => {
    const wants = JSON.parse(edge.metadata || '{}')
    const children = childrenOf(edge.depends_on_id)
    const someOpen = children.some((child) => !settled(child))
    const oneClosed = children.some((child) => byId.get(child)?.status === 'closed')
    if (someOpen && !(wants.gate === 'any-children' && oneClosed)) return true
    return wants.also_blocks === true && !settled(edge.depends_on_id)
  }
  const blocked = (id: string): boolean =>
    !settled(id) &&
    (from(id, 'blocks', 'conditional-blocks').some((edge) => !settled(edge.depends_on_id)) ||
      from(id, 'waits-for').some(shut) ||
      from(id, 'parent-child').some((edge) => blocked(edge.depends_on_id)))
  const heldUntil = (id: string): string | null => {
    const parents = from(id, 'parent-child').filter((edge) => byId.get(edge.depends_on_id)?.status !== 'closed')
    const times = [byId.get(id)?.defer_until ?? null, ...parents.map((edge) => heldUntil(edge.depends_on_id))]
    return times.reduce((latest, time) => (time !== null && (latest === null || time > latest) ? time : latest), null)
  }
  const isReady = (task: ModelTask, now: string): boolean =>
    (task.status === 'open' || (task.status === 'deferred' && task.defer_until !== null && task.defer_until <= now)) &&
    task.assignee === '' &&
    task.pinned === 0 &&
    !(NOT_WORK as readonly string[]).includes(task.issue_type) &&
    !blocked(task.id) &&
    (heldUntil(task.id) ?? '') <= now
  const inOrder = (a: ModelTask, b: ModelTask) =>
    a.priority - b.priority || a.created_at.localeCompare(b.created_at) || a.seq - b.seq

  return {
    blocked,
    heldUntil,
    ready: (now) =>
      tasks
        .filter((task) => isReady(task, now))
        .sort(inOrder)
        .map((task) => task.id),
  }
}
