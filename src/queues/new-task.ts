import { base36, idLength, isTaskId } from '../domain/task/id.ts'
import { BLANK_TASK, type Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import { chanceBytes } from '../platform/runtime/chance.ts'
import type { NewDependency, TaskDraft } from '../ports/queue.ts'

export function taskFrom(
  given: Partial<Task> & { id: string; title: string },
  { by, at }: { by: string; at: string },
): Task {
  const status = given.status ?? 'open'
  return {
    ...BLANK_TASK,
    priority: 2,
    created_at: at,
    created_by: by,
    updated_at: at,
    closed_at: status === 'closed' ? at : null,
    ...given,
    status,
  }
}

/** The edges of a draft, the parent first. */
export function draftEdges(id: string, { parent, dependencies = [] }: TaskDraft): NewDependency[] {
  const above: NewDependency[] =
    parent === undefined ? [] : [{ issue_id: id, depends_on_id: parent, type: 'parent-child' }]
  const others = dependencies.map(({ on, type, reverse, metadata }) => {
    const [issue_id, depends_on_id] = reverse === true ? [on, id] : [id, on]
    return { issue_id, depends_on_id, type, metadata: metadata ?? '' }
  })
  return [...above, ...others]
}

export function requireId(id: string, prefix: string): void {
  if (isTaskId(id)) return
  throw new AppError('failed', `invalid issue ID ${JSON.stringify(id)}`, {
    hint: `ids look like ${prefix}-a1b or ${prefix}-a1b.2`,
  })
}

/** Random ids; after ten of one length they get longer. `count`: roughly how many tasks there are. */
export function* candidateIds(prefix: string, count: number): Generator<string, never> {
  for (let length = idLength(count); ; length++) {
    for (let nonce = 0; nonce < 10; nonce++) {
      yield `${prefix}-${base36(chanceBytes(12), length)}`
    }
  }
}
