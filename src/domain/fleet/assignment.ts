import type { TaskSettings } from '../task/settings.ts'

/** The value in force, and whether the task itself sets it. */
export interface Chosen<T> {
  readonly value: T
  readonly given: boolean
}

export interface Defaults {
  /** The settings of the task's project. A model without a coder there applies to any coder. */
  readonly project: Pick<TaskSettings, 'coder' | 'model'>
  readonly coder: string
  /** Applies only to `coder`; another coder gets its own default. */
  readonly model: string | undefined
  /** A coder's default model; undefined: its CLI chooses. */
  modelOf(coder: string): string | undefined
}

export interface Assignment {
  readonly coder: Chosen<string>
  readonly model: Chosen<string | undefined>
}

export interface KnownAssignment {
  readonly coder: Chosen<string | undefined>
  readonly model: Chosen<string | undefined>
}

/** The assignment without a configuration; undefined where a default would decide. */
export function assignmentWithoutDefaults({ coder, model }: TaskSettings, kept: FirstChoice): KnownAssignment {
  const name = coder ?? kept.coder ?? undefined
  const keptModel = name === kept.coder ? (kept.model ?? undefined) : undefined
  return {
    coder: { value: name, given: coder !== undefined },
    model: { value: model ?? keptModel, given: model !== undefined },
  }
}

/** Later attempts keep the choice of the first one, unless the task itself sets another. */
export function keptAssignment({ coder, model }: Assignment, kept: FirstChoice): Assignment {
  const name = kept.coder !== null && !coder.given ? kept.coder : coder.value
  const same = kept.coder === name && !model.given
  return {
    coder: { value: name, given: coder.given },
    model: same ? { value: kept.model ?? undefined, given: false } : model,
  }
}

/** The choice of the first attempt; null before the first attempt. */
export interface FirstChoice {
  readonly coder: string | null
  readonly model: string | null
}

/** The coder and model for a task with these settings. */
export function assignmentOf(task: TaskSettings, { project, ...base }: Defaults): Assignment {
  const coder = task.coder ?? project.coder ?? base.coder
  const ofProject = project.coder === undefined || project.coder === coder ? project.model : undefined
  const model = task.model ?? ofProject ?? (coder === base.coder ? base.model : base.modelOf(coder))
  return {
    coder: { value: coder, given: task.coder !== undefined },
    model: { value: model, given: task.model !== undefined },
  }
}
