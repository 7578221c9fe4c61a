import { hash } from 'node:crypto'
import { type Contents, canonicalText, differences } from '../domain/task/contents.ts'
import type { TaskRecord } from '../domain/task/interchange.ts'
import { pluralize } from '../domain/text/pluralize.ts'
import { AppError } from '../errors.ts'

export const recordsOf = ({ tasks }: Contents): readonly TaskRecord[] => tasks.map((task) => task.record)

/** A home stores this to recognise the tasks that it left behind in a queue. */
export function fingerprint(records: readonly TaskRecord[]): string {
  return hash('sha256', canonicalText(records))
}

export function isSameTasks(a: readonly TaskRecord[], b: readonly TaskRecord[]): boolean {
  return a.length === b.length && canonicalText(a) === canonicalText(b)
}

/** How many differing tasks the message names. */
const NAMED = 5

/** Throws if the tasks read back differ from those written. */
export function requireSameTasks(wanted: readonly TaskRecord[], found: readonly TaskRecord[], where: string): void {
  const wrong = differences(wanted, found)
  if (wrong.length === 0) return
  const named = wrong.slice(0, NAMED).map(({ id, what }) => `${id} (${[what].flat().join(', ')})`)
  const more = wrong.length > NAMED ? ` and ${wrong.length - NAMED} more` : ''
  throw new AppError('queue', `${where} does not hold what was written to it: ${named.join(', ')}${more}`, {
    hint: 'nothing was moved; the tasks are where they were',
  })
}

/** Also compares tokens, waits and history, between stores that can hold them. */
export function requireSameContents(wanted: Contents, found: Contents, where: string): void {
  requireSameTasks(recordsOf(wanted), recordsOf(found), where)
  const rest = ({ tasks, history, prefix, values = {} }: Contents) =>
    JSON.stringify([
      prefix,
      Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)),
      tasks.map(({ record, nextChild, token, leaseUntil, notBefore }) => [
        record.id,
        nextChild,
        token,
        leaseUntil !== null,
        notBefore !== null,
      ]),
      history.map(({ task, at, actor, kind, changes }) => [task, at, actor, kind, changes]),
    ])
  if (rest(wanted) === rest(found)) return
  throw new AppError('queue', `${where} does not hold the history and the memories that were written to it`, {
    hint: 'nothing was moved; the tasks are where they were',
  })
}

export function changedMeanwhile({ location }: { location: string }): AppError {
  return new AppError('conflict', `the tasks in ${location} changed during the migration`, {
    hint: 'nothing was moved; run it again',
  })
}

export function occupied(where: string, count: number, hint: string): AppError {
  return new AppError('conflict', `${where} already has ${pluralize(count, 'task')}`, {
    hint: `nothing was changed; ${hint}`,
  })
}
