import type { Dependency } from '../../../domain/task/dependency.ts'
import { edgeLine } from '../../../domain/task/interchange.ts'
import type { ListedTask } from '../../../ports/task-store.ts'
import { issueJson } from '../../../views/json/issue.ts'

/** An edge as bd prints it beside an issue; bd keeps `{}` where there is no metadata. */
export function edgeJson(edge: Dependency): Record<string, unknown> {
  return edgeLine({ ...edge, metadata: edge.metadata === '' ? '{}' : edge.metadata })
}

const FREE_TEXT = ['description', 'design', 'acceptance_criteria', 'notes', 'payload', 'waiters'] as const

export interface ListedShape {
  /** Omits the free-text fields. */
  readonly brief?: boolean
  readonly skipLabels?: boolean
}

/** An element of `list` and `ready`. */
export function listedJson(task: ListedTask, shape: ListedShape = {}): Record<string, unknown> {
  const issue = issueJson(task)
  if (shape.brief === true) for (const field of FREE_TEXT) delete issue[field]
  if (shape.skipLabels === true) issue['labels'] = []
  if (task.dependencies.length > 0) issue['dependencies'] = task.dependencies.map(edgeJson)
  Object.assign(issue, countsOf(task))
  if (task.parent !== '') issue['parent'] = task.parent
  return issue
}

/** bd counts only `blocks` edges here, and every edge in `show`. */
export function countsOf(task: ListedTask): Record<string, number> {
  return {
    dependency_count: task.dependency_count,
    dependent_count: task.dependent_count,
    comment_count: task.comment_count,
  }
}
