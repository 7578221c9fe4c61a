import type { Receipt } from '../../../domain/run/receipt.ts'
import { moment } from '../../../domain/text/moment.ts'
import { pluralize } from '../../../domain/text/pluralize.ts'
import type { Part } from './fitted.ts'
import { few, list, words } from './words.ts'

const MOST = { writes: 6, outside: 10, refused: 3 }

/** Where it could write, what it changed elsewhere, and who let that through. */
export function scopeParts({ scope }: Receipt, now: number): Part[] {
  if (scope === undefined) return []
  const { read_only: readOnly, writes, outside, outside_count: count, refused, approved } = scope
  const bound = readOnly ? 'nothing (read-only)' : few(writes ?? ['anything in the project'], MOST.writes).join(', ')
  const before = refusedParts(refused)
  if (count === 0) return [{ label: 'scope', text: words(bound) }, ...before]
  const decision =
    approved === undefined
      ? []
      : [{ label: '', text: words(`let through by ${approved.by} at ${moment(Date.parse(approved.at), now)}`) }]
  return [
    { label: 'scope', text: words(`${bound}; ${pluralize(count, 'change')} outside`), style: 'yellow' },
    list(
      '',
      outside.map(({ path }) => path),
      { most: MOST.outside, count },
    ),
    ...decision,
    ...before,
  ]
}

/** Calls that were refused before they happened. */
function refusedParts(refused: NonNullable<Receipt['scope']>['refused']): Part[] {
  if (refused === undefined) return []
  const calls = refused.calls.map(({ tool, what, why }) => `${tool} ${what}: ${why}`)
  return [
    { label: 'refused', text: pluralize(refused.count, 'call'), style: 'yellow' },
    list('', calls, { most: MOST.refused, count: refused.count }),
  ]
}
