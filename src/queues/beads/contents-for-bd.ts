import type { Contents, StoredTask } from '../../domain/task/contents.ts'
import type { Dependency } from '../../domain/task/dependency.ts'
import type { TaskRecord } from '../../domain/task/interchange.ts'
import { kindOf } from '../../domain/task/interchange-fields.ts'
import { pluralize } from '../../domain/text/pluralize.ts'

export interface ContentsForBd {
  readonly contents: Contents
  /** The parts that bd cannot store, for people to read. None of it affects how a task is worked on. */
  readonly omitted: readonly string[]
}

/** bd's own record of claims, which its import ignores. */
const BOOKKEEPING = new Set(['lease_expires_at', 'heartbeat_at', 'lease_granted_node'])

/** The part of these contents that bd can store. Anything bd would drop silently is dropped here and reported. */
export function contentsForBd(contents: Contents, by: string): ContentsForBd {
  const ids = new Set(contents.tasks.map(({ record }) => record.id))
  const fields = new Map<string, number>()
  let nowhere = 0
  let twice = 0
  const tasks = contents.tasks.map((task): StoredTask => {
    const { record } = task
    const strange = Object.keys(record.extra).filter((name) => kindOf(name) === undefined || BOOKKEEPING.has(name))
    for (const name of strange) if (!BOOKKEEPING.has(name)) fields.set(name, (fields.get(name) ?? 0) + 1)
    const dependencies = record.dependencies.filter((edge) => leadsSomewhere(edge, ids))
    const comments = once(record.comments)
    nowhere += record.dependencies.length - dependencies.length
    twice += record.comments.length - comments.length
    return {
      ...task,
      record: {
        ...record,
        extra: Object.fromEntries(Object.entries(record.extra).filter(([name]) => !strange.includes(name))),
        // bd fills an empty name with the importer's.
        dependencies: dependencies.map((edge) => ({ ...edge, created_by: edge.created_by || by })),
        comments,
      },
    }
  })
  const omitted = [
    ...(contents.history.length > 0 ? [`${pluralize(contents.history.length, 'entry')} of history`] : []),
    ...[...fields].map(([name, count]) => `the field ${name} of ${pluralize(count, 'task')}`),
    ...(nowhere > 0 ? [`${pluralize(nowhere, 'dependency')} on tasks that do not exist`] : []),
    ...(twice > 0 ? [`${pluralize(twice, 'comment')} with the same text, author and second as another`] : []),
  ]
  return { contents: { ...contents, tasks }, omitted }
}

function leadsSomewhere({ depends_on_id: on }: Dependency, ids: ReadonlySet<string>): boolean {
  return on.startsWith('external:') || ids.has(on)
}

function once(comments: TaskRecord['comments']): TaskRecord['comments'] {
  const seen = new Set<string>()
  return comments.filter(({ author, text, created_at }) => {
    const key = JSON.stringify([author, text, created_at])
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
