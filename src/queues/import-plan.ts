import type { Dependency } from '../domain/task/dependency.ts'
import { components } from '../domain/task/graph.ts'
import { importChanges } from '../domain/task/import-changes.ts'
import type { TaskRecord } from '../domain/task/interchange.ts'
import type { Task } from '../domain/task/task.ts'
import type { ImportOptions, ImportReport } from '../ports/task-store.ts'
import { FIELDS } from './row.ts'

export type ImportFate = 'stale' | 'created' | 'updated' | 'unchanged' | 'tied'

export interface ImportPlan {
  readonly fate: ImportFate
  /** The line's fields replace the task's. */
  readonly replaces: boolean
  /** A new status or assignee takes the task from its supervisor; other changes do not. */
  readonly handsOver: boolean
  readonly changes: readonly string[]
}

const NOTHING = { replaces: false, handsOver: false, changes: [] }

/** The effect of an import line on the task with its id. A line replaces a task only if it is newer. */
export function importPlan(before: Task | undefined, task: TaskRecord, how: ImportOptions): ImportPlan {
  if (before === undefined) return { fate: 'created', ...NOTHING }
  const forced = how.allowStale === true
  if (!forced && before.updated_at > task.updated_at) return { fate: 'stale', ...NOTHING }
  const changes = importChanges(before, task)
  const replaces = forced || task.updated_at > before.updated_at
  const handsOver = replaces && (before.status !== task.status || before.assignee !== task.assignee)
  const fate = changes.length === 0 ? 'unchanged' : replaces ? 'updated' : 'tied'
  return { fate, replaces, handsOver, changes }
}

/** Not created_at: it never changes, and a line without it is read as created now. */
export const REPLACED_FIELDS = FIELDS.filter((field) => field !== 'id' && field !== 'created_at')

/** A record without an id, with the id it was given. */
export function named(task: TaskRecord, id: string): TaskRecord {
  const dependencies = task.dependencies.map((edge) => (edge.issue_id === '' ? { ...edge, issue_id: id } : edge))
  return { ...task, id, dependencies }
}

/** The running result of an import. Of all records only the edges stay in memory, because they are inserted last. */
export class ImportTally {
  readonly edges: Dependency[] = []
  readonly touched = new Set<string>()
  readonly #report: {
    -readonly [K in Exclude<keyof ImportReport, 'skippedDependencies'>]: ImportReport[K][number][]
  } = { imported: [], created: [], updated: [], unchanged: [], tied: [], stale: [] }

  /** `shown`: the id to report; '' if a dry run would have generated one. */
  add(task: TaskRecord, { fate, changes }: ImportPlan, shown: string): void {
    if (fate === 'stale') {
      this.#report.stale.push(task.id)
      return
    }
    this.#report.imported.push(shown)
    if (fate === 'updated') this.#report.updated.push({ id: task.id, changes })
    else this.#report[fate].push(fate === 'created' ? shown : task.id)
    this.edges.push(...task.dependencies)
    this.touched.add(task.id)
  }

  report(skippedDependencies: ImportReport['skippedDependencies']): ImportReport {
    return { ...this.#report, skippedDependencies }
  }
}

/** Each task before its parents, as far as these edges tell. */
export function parentsLast(ids: ReadonlySet<string>, edges: readonly Dependency[]): string[] {
  const up = edges.filter(({ type }) => type === 'parent-child')
  // A component is numbered after all that it reaches.
  const number = components(up.map((edge) => ({ from: edge.issue_id, to: edge.depends_on_id })))
  return [...ids].sort((a, b) => (number.get(b) ?? 0) - (number.get(a) ?? 0))
}
