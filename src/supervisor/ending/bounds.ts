import type { Outcome } from '../../domain/run/outcome.ts'
import { approvedChanges } from '../../domain/scope/approval.ts'
import { type Breach, breachesOf, judgedByBounds } from '../../domain/scope/breach.ts'
import { type Scope, UNBOUNDED } from '../../domain/scope/scope.ts'
import { ownLaunchRecord } from '../run/launch-record.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import type { SeenChanges } from './changes.ts'
import { launchFacts } from './launch-facts.ts'

/** Whether a run kept to its bounds, as they were when it began. */
export interface Bounds {
  readonly scope: Scope
  readonly breaches: readonly Breach[]
}

export function lookAtBounds(world: World, live: LiveRun, changes: SeenChanges | undefined): Bounds {
  const { record } = live
  const { scope = UNBOUNDED } = launchFacts(ownLaunchRecord(world, live))
  const approved = approvedChanges(world.ledger.reviews.of(record.task), (run) => world.ledger.recordsOf(run).receipt)
  return {
    scope,
    breaches: breachesOf({
      scope,
      changes: changes?.all,
      undone: changes?.undone,
      asked: changes?.asked?.at,
      guarded: (live.coder.settingsFiles ?? []).filter((file) => !file.startsWith('~/')),
      called: live.called.outside,
      approved,
    }),
  }
}

/** A person decides about a run that left its bounds, whatever else became of it. */
export function withinBounds(outcome: Outcome, { bounds }: { readonly bounds: Bounds }): Outcome {
  return judgedByBounds(outcome, bounds.breaches, bounds.scope)
}
