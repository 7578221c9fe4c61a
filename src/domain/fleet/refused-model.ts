/**
 * A model that the coder of a lane did not accept. That is trouble of this model alone: the lane keeps working for every
 * other model. Tasks with the model wait until something has changed; then one trial run shows whether it works now.
 */
export interface RefusedModel {
  readonly lane: string
  /** As it was asked for. '': the coder's own choice. */
  readonly model: string
  readonly reason: string
  readonly since: number
  /** Since when a trial run may start; null: none may. */
  readonly trialFrom: number | null
}

/** The model of a run or of a task, as a refusal names it. */
interface OnLane {
  readonly lane: string
  readonly model: string
}

export function refusalOf<T extends RefusedModel>(refused: readonly T[], { lane, model }: OnLane): T | undefined {
  return refused.find((each) => each.lane === lane && each.model === model)
}

/** How many more runs with the model may start now. */
export function roomForModel(
  refused: RefusedModel | undefined,
  running: readonly (OnLane & { readonly startedAt: number })[],
): number {
  if (refused === undefined) return Number.POSITIVE_INFINITY
  return refused.trialFrom === null || running.some((run) => isTrialOf(refused, run)) ? 0 : 1
}

/** Whether the run shows if the model works now. */
export function isTrialOf(
  { lane, model, trialFrom }: RefusedModel,
  run: OnLane & { readonly startedAt: number },
): boolean {
  return run.lane === lane && run.model === model && trialFrom !== null && run.startedAt >= trialFrom
}

/** Something has changed that may have fixed it. undefined: a trial run may start anyway. */
export function openModelForTrial(refused: RefusedModel, now: number): RefusedModel | undefined {
  return refused.trialFrom === null ? { ...refused, trialFrom: now } : undefined
}

/** For people: a model is not always named. */
export function modelText(model: string): string {
  return model === '' ? 'its default model' : `the model ${model}`
}
