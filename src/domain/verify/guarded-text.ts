import { pluralize } from '../text/pluralize.ts'
import type { Guarded } from './tamper.ts'
import type { TestCounts } from './test-counts.ts'

/** The findings about work that changed the files which decide whether it passes. */
export interface GuardedWork {
  readonly kind: 'passed' | 'only-own' | 'unclear'
  readonly files: readonly Guarded[]
  readonly why: string
}

/** For the receipt. */
export interface GuardedFindings {
  /** How the work does with the base version of these files. */
  readonly base: GuardedWork['kind']
  readonly files: readonly string[]
  readonly files_count: number
  readonly tests_removed: number
  readonly tests_skipped: number
}

const LISTED = 50

export function guardedFindings({ kind, files }: GuardedWork, counts: TestCounts): GuardedFindings {
  return {
    base: kind,
    files: files.slice(0, LISTED).map(({ path }) => path),
    files_count: files.length,
    tests_removed: counts.removed,
    tests_skipped: counts.skipped,
  }
}

/** One sentence for the person who has to look at it. */
export function guardedText({ kind, files, why }: GuardedWork, counts: TestCounts): string {
  const lost = lostText(counts)
  const what =
    kind === 'only-own'
      ? `passes only with its own version of ${named(files)}`
      : files.length === 0
        ? `it is not known whether it changes its tests or their configuration: ${why}`
        : `changes ${named(files)}, and could not be verified with the base version: ${why}`
  return `${what}${lost === '' ? '' : `; ${lost}`}`
}

/** Tests that are gone are told also where the work passes with them: they were taken away for a reason. */
export function baseWarning({ files }: GuardedWork, counts: TestCounts): readonly string[] {
  const lost = lostText(counts)
  return lost === '' ? [] : [`passes with the base version of ${named(files)} too, but ${lost}`]
}

/** Tests that are gone; '': none. */
export function lostText({ removed, skipped }: TestCounts): string {
  const removals = removed === 0 ? [] : [`${pluralize(removed, 'test')} removed`]
  return [...removals, ...(skipped === 0 ? [] : [`${skipped} switched off`])].join(', ')
}

const NAMED = 5

function named(files: readonly Guarded[]): string {
  const names = files.slice(0, NAMED).map(({ path }) => path)
  return [...names, ...(files.length > NAMED ? [`${files.length - NAMED} more`] : [])].join(', ')
}
