import { join } from 'node:path'
import { readEnd } from '../../platform/files/attempt-folder.ts'
import { stampOf } from '../../platform/files/walk.ts'
import type { Checkout } from '../../platform/git/checkout.ts'
import type { HeadMove, Primary } from '../../ports/worktrees.ts'

const LOG_BYTES = 1 << 18
const MOST_MOVES = 100
/** The log tells whole seconds. */
const SECOND = 1000
const ENTRY = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}\t(.*)/

export function loggedBytes(checkout: Checkout): number {
  return Number(stampOf(logOf(checkout))?.size ?? 0)
}

/**
 * The moves of HEAD of a checkout since a moment, by its own log. Without a log only HEAD itself tells that something was
 * done, and not when.
 */
export function headMoves(
  checkout: Checkout,
  { before, now, since }: { before: Primary; now: Primary; since: number },
): readonly HeadMove[] {
  const { logged = 0 } = before
  // A log that was shortened since tells by its times alone.
  const from = loggedBytes(checkout) < logged ? 0 : logged
  const lines = (readEnd(logOf(checkout), LOG_BYTES, { from }) ?? '').split('\n')
  const moves = lines.flatMap((line): HeadMove[] => {
    const [, to, seconds, what] = ENTRY.exec(line) ?? []
    if (to === undefined || what === undefined) return []
    const at = Number(seconds) * SECOND
    return at < since - SECOND ? [] : [{ what, to, when: { from: at, to: at + SECOND } }]
  })
  if (moves.length > 0) return moves.slice(-MOST_MOVES)
  if (now.head === before.head && now.at === before.at) return []
  const what = now.head === before.head ? 'another commit' : now.head.replace(/^ref: (?:refs\/heads\/)?/, '')
  return [{ what, to: now.at ?? '', when: { from: since, to: Number.MAX_SAFE_INTEGER } }]
}

function logOf({ gitFolder }: Checkout): string {
  return join(gitFolder, 'logs', 'HEAD')
}
