import { SETTINGS_KEY } from '../../domain/task/settings.ts'
import type { Task } from '../../domain/task/task.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import { type Neighbour, neighboursOf } from '../neighbours.ts'
import { issueJson } from './issue.ts'

/**
 * A complete issue with the type of its edge. Without fleet's settings: bd's programs read a neighbour as an issue or as an
 * edge, and the metadata of an edge is a string. With neither, both can read it.
 */
export function neighbourJson({ task, type }: Neighbour): Record<string, unknown> {
  const { [SETTINGS_KEY]: _own, ...metadata } = task.metadata
  return { ...issueJson({ ...task, metadata }), dependency_type: type }
}

/** Only the fields that identify an issue. */
function shallowJson({ task, type }: Neighbour): Record<string, unknown> {
  const { id, title, status, priority, issue_type, created_at, updated_at } = task
  return { id, title, status, priority, issue_type, created_at, updated_at, dependency_type: type }
}

export interface DetailsShape {
  /** Dependencies reduced to their identifying fields. */
  readonly briefDeps?: boolean
  readonly dependents?: boolean
  readonly comments?: boolean
}

/** An element of `show --json`: it counts edges of every type. */
export async function detailsJson(
  store: TaskStore,
  task: Task,
  shape: DetailsShape = {},
): Promise<Record<string, unknown>> {
  const down = await neighboursOf(store, task.id, 'down')
  const comments = await store.comments(task.id)
  const parent = down.find((each) => each.type === 'parent-child')?.task.id
  return {
    ...issueJson(task),
    ...(down.length === 0 ? {} : { dependencies: down.map(shape.briefDeps === true ? shallowJson : neighbourJson) }),
    ...(shape.dependents === true ? dependentsJson(task, await neighboursOf(store, task.id, 'up')) : {}),
    ...(shape.comments === true && comments.length > 0 ? { comments } : {}),
    ...(parent === undefined ? {} : { parent }),
    dependent_count: (await store.edges([task.id], 'up')).length,
    dependency_count: (await store.edges([task.id], 'down')).length,
    comment_count: comments.length,
    ...(shape.comments !== true && comments.length > 0 ? { comments_omitted: true } : {}),
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
