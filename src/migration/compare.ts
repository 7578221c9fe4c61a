import { hash } from 'node:crypto'
import { type Contents, canonicalText, differences } from '../domain/task/contents.ts'
import type { TaskRecord } from '../domain/task/interchange.ts'
import { pluralize } from '../domain/text/pluralize.ts'
import { AppError } from '../errors.ts'

export const recordsOf = ({ tasks }: Contents): readonly TaskRecord[] => tasks.map((task) => task.record)

/** By this a home recognises the tasks that it left somewhere. */
export function fingerprint(records: readonly TaskRecord[]): string {
  return hash('sha256', canonicalText(records))
}

export function isSameTasks(a: readonly TaskRecord[], b: readonly TaskRecord[]): boolean {
  return a.length === b.length && canonicalText(a) === canonicalText(b)
}

/** The most that are named. */
const NAMED = 5

/** After the writing: what was read back is what was to be written. */
export function requireSameTasks(wanted: readonly TaskRecord[], found: readonly TaskRecord[], where: string): void {
  const wrong = differences(wanted, found)
  if (wrong.length === 0) return
  const named = wrong.slice(0, NAMED).map(({ id, what }) => `${id} (${[what].flat().join(', ')})`)
  const more = wrong.length > NAMED ? ` and ${wrong.length - NAMED} more` : ''
  throw new AppError('queue', `${where} does not show what was written to it: ${named.join(', ')}${more}`, {
    hint: 'nothing was moved; the tasks are where they were',
  })
}

/** What no person sees, between stores that can hold all of it. */
export function requireSameContents(wanted: Contents, found: Contents, where: string): void {
  requireSameTasks(recordsOf(wanted), recordsOf(found), where)
  const rest = ({ tasks, history, prefix }: Contents) =>
    JSON.stringify([
      prefix,
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
  throw new AppError('queue', `${where} does not show the history that was written to it`, {
    hint: 'nothing was moved; the tasks are where they were',
  })
}

export function changedMeanwhile({ location }: { location: string }): AppError {
  return new AppError('conflict', `the tasks in ${location} were changed while they were moved`, {
    hint: 'nothing was moved; run it again',
  })
}

export function occupied(where: string, count: number, hint: string): AppError {
  return new AppError('conflict', `${where} already has ${pluralize(count, 'task')}`, {
    hint: `nothing was changed; ${hint}`,
  })
}
