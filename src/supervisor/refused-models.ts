import { isTrialOf, openModelForTrial, type RefusedModel } from '../domain/fleet/refused-model.ts'
import type { Run } from '../domain/run/run.ts'
import { hasAnswered } from './run/answered.ts'
import type { LiveRun } from './run/live-run.ts'
import type { World } from './world.ts'

/** A run's coder did not accept its model. Logged once, however many runs meet it. */
export function refuseModel(
  { ledger, log }: World,
  run: Run,
  { reason, since, trialFrom }: Omit<RefusedModel, 'lane' | 'model'>,
): void {
  const lane = run.lane
  const model = run.model ?? ''
  const known = ledger.refusedModels().find((each) => each.lane === lane && each.model === model)
  // A change made after the run began may have fixed it already: the trial that follows the change decides.
  if (known !== undefined && known.trialFrom !== null && run.startedAt < known.trialFrom) return
  ledger.refuseModel({ lane, model, reason, since: Math.min(since, run.startedAt), trialFrom })
  if (known === undefined || known.trialFrom !== null) log('model-refused', { lane, model, why: reason })
}

/** Forgets refusals of models that have answered since. True: more runs may start. */
export function acceptModels({ ledger, log }: World, runs: readonly LiveRun[]): boolean {
  const accepted = ledger
    .refusedModels()
    .filter((refused) =>
      runs.some((live) => isTrialOf(refused, { ...live.record, model: live.record.model ?? '' }) && hasAnswered(live)),
    )
  for (const { lane, model, reason } of accepted) {
    ledger.acceptModel({ lane, model })
    log('model-accepted', { lane, model, was: reason })
  }
  return accepted.length > 0
}

/** Something has changed: each refused model of these lanes gets a trial run. True: there was one. */
export function tryModelsAgain({ ledger, clock, log }: World, isMeant: (refused: RefusedModel) => boolean): boolean {
  const again = ledger.refusedModels().flatMap((refused) => {
    return isMeant(refused) ? (openModelForTrial(refused, clock.now()) ?? []) : []
  })
  for (const refused of again) {
    ledger.refuseModel(refused)
    log('model-tried-again', { lane: refused.lane, model: refused.model, was: refused.reason })
  }
  return again.length > 0
}
