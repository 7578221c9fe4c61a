import type { World } from './world.ts'

/** `--once`: the supervisor ends when there is nothing left to do. */

/**
 * The result of a look at the queue. `nothing`: no run, nothing to claim, and no retry coming. `withheld`: no run, and only a
 * person can make it claim again. `more`: anything else.
 */
export type LookFound = 'more' | 'nothing' | 'withheld'

/**
 * `nothing` must be found twice in a row: a retry may come due after the claim and before the question when the next one
 * does, and only another look sees it.
 */
export function afterLook(last: LookFound, found: LookFound): 'wait' | 'look-again' | 'end' {
  if (found === 'withheld') return 'end'
  if (found === 'nothing') return last === 'nothing' ? 'end' : 'look-again'
  return 'wait'
}

/** Whether a task waits only for the time of its retry. */
export function waitsForRetry({ ledger, clock }: World, nextRetryAt: number | undefined): boolean {
  if (nextRetryAt === undefined) return false
  return ledger
    .waiting(1000)
    .some(({ waitingKind, waitingUntil }) => waitingKind === 'retry' && (waitingUntil ?? 0) > clock.now())
}
