import type { AddDependencyResult, NewDependency } from '../../ports/queue.ts'

/** Why a dependency cannot be, as a sentence. */
export function refusalSentence(edge: NewDependency, result: AddDependencyResult): string {
  const { issue_id: id, depends_on_id: on } = edge
  switch (result.kind) {
    case 'itself':
      return `cannot add self-dependency: ${id} cannot depend on itself`
    case 'unknown':
      return `issue ${result.id} not found`
    case 'cycle':
      return `adding dependency would create a cycle: ${result.path.join(' → ')}`
    case 'other-type':
      return `dependency ${id} → ${on} already exists with type ${JSON.stringify(result.type)}`
    case 'own-parent':
      return `${id} is a child of ${on}, so it cannot also be blocked by it`
    case 'task-blocks-epic':
      return `a task and an epic cannot block each other: ${result.task} and ${result.epic}`
    case 'added':
    case 'already':
      return `dependency ${id} → ${on} is there`
  }
}
