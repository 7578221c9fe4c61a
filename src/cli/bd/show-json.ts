import type { Task } from '../../domain/task.ts'
import type { BdCall } from './command.ts'
import { issueJson } from './json.ts'
import { type Neighbour, neighboursOf } from './neighbours.ts'

/** A whole issue with how it is connected. */
export function neighbourJson({ task, type }: Neighbour): Record<string, unknown> {
  return { ...issueJson(task), dependency_type: type }
}

/** Just enough to know which one it is. */
function shallowJson({ task, type }: Neighbour): Record<string, unknown> {
  const { id, title, status, priority, issue_type, created_at, updated_at } = task
  return { id, title, status, priority, issue_type, created_at, updated_at, dependency_type: type }
}

/** An element of `show --json`: here every edge counts, of whatever type. */
export async function detailsJson(
  { store, flags }: Pick<BdCall, 'store' | 'flags'>,
  task: Task,
): Promise<Record<string, unknown>> {
  const down = await neighboursOf(store, task.id, 'down')
  const dependents = await store.edges([task.id], 'up')
  const comments = await store.comments(task.id)
  const parent = down.find((each) => each.type === 'parent-child')?.task.id
  const withComments = flags.on('include-comments')
  return {
    ...issueJson(task),
    ...(down.length === 0 ? {} : { dependencies: down.map(flags.on('brief-deps') ? shallowJson : neighbourJson) }),
    ...(flags.on('include-dependents') ? dependentsJson(task, await neighboursOf(store, task.id, 'up')) : {}),
    ...(withComments && comments.length > 0 ? { comments } : {}),
    ...(parent === undefined ? {} : { parent }),
    dependent_count: dependents.length,
    dependency_count: (await store.edges([task.id], 'down')).length,
    comment_count: comments.length,
    ...(!withComments && comments.length > 0 ? { comments_omitted: true } : {}),
  }
}

function dependentsJson(task: Task, up: readonly Neighbour[]): Record<string, unknown> {
  if (up.length === 0) return {}
  const children = up.filter((each) => each.type === 'parent-child')
  const closed = children.filter((each) => each.task.status === 'closed').length
  return {
    dependents: up.map(shallowJson),
    ...(task.issue_type === 'epic' && children.length > 0
      ? {
          epic_total_children: children.length,
          epic_closed_children: closed,
          epic_closeable: closed === children.length,
        }
      : {}),
  }
}
