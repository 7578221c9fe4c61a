import type { Policy } from '../../domain/fleet/policy.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Ledger } from '../../ports/ledger.ts'

/** A reviewer whose lane is closed, so that the review of a run waits. */
export interface AwaitedReviewer {
  readonly coder: string
  readonly reason: string
  /** null: until a person has helped. */
  readonly until: number | null
}

/** undefined: its review does not wait. */
export function awaitedReviewer(
  ledger: Pick<Ledger, 'verify' | 'lanes'>,
  policy: Pick<Policy, 'reviewBy'> | undefined,
  { id, phase, project }: Run,
): AwaitedReviewer | undefined {
  const coder = phase === 'checking' ? policy?.reviewBy(project) : undefined
  if (coder === undefined || ledger.verify.runningOf(id) !== undefined) return undefined
  const lane = ledger.lanes().find(({ name, state }) => name === coder && state !== 'up')
  return lane && { coder, reason: lane.reason ?? lane.state, until: lane.state === 'paused' ? lane.until : null }
}
