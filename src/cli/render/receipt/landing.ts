import type { LandingOnReceipt } from '../../../domain/landing/landing-on-receipt.ts'
import { moment } from '../../../domain/text/moment.ts'
import { pluralize } from '../../../domain/text/pluralize.ts'
import { checkParts } from './checks.ts'
import type { Part } from './fitted.ts'
import { TEXT, words } from './words.ts'

const HOW: Readonly<Record<LandingOnReceipt['how'], string>> = {
  nothing: 'all of it was there before',
  'as-it-is': 'as it was',
  rebase: 'rebased',
  squash: 'as one commit',
  merge: 'merged',
}

/** How the work came onto its target, or why it did not, and the check of the tree that was to land. */
export function landingParts(landing: LandingOnReceipt | undefined, now: number): Part[] {
  if (landing === undefined) return []
  const { result, check, outcome } = landing
  const label = result === 'landed' ? 'landed' : 'returned'
  const why = outcome === undefined ? '' : `, ${outcome.code}: ${outcome.text}`
  const style = result === 'landed' ? 'green' : 'yellow'
  return [
    { label, text: words(`${landingText(landing, now)}${why}`, TEXT), style, least: 2 },
    ...(check === undefined ? [] : checkParts(check)),
  ]
}

/** `on main at 14:02:11: 0123456789, rebased` */
export function landingText({ result, at, target, commit, how, bounces }: LandingOnReceipt, now: number): string {
  const built = commit === null ? [] : [commit.slice(0, 10)]
  const before = bounces === 0 || result === 'returned' ? [] : [`after ${pluralize(bounces, 'conflict')}`]
  const where = `${result === 'landed' ? 'on' : 'from'} ${words(target)} at ${moment(Date.parse(at), now)}`
  return `${where}: ${[...built, HOW[how], ...before].join(', ')}`
}
