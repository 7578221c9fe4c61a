import type { TaskSettings } from '../task/settings.ts'

/** A value in force, and whether the user gave it on the task itself. */
export interface Chosen<T> {
  readonly value: T
  readonly given: boolean
}

export interface Defaults {
  /** What the task's project says; a model without a coder there goes with whatever coder results. */
  readonly project: Pick<TaskSettings, 'coder' | 'model'>
  readonly coder: string
  /** Belongs to `coder`: another coder gets its own. */
  readonly model: string | undefined
  /** A coder's own model; undefined: whatever its CLI takes. */
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

/** As far as it can be told without the defaults of a configuration: undefined where one of them decides. */
export function assignmentWithoutDefaults({ coder, model }: TaskSettings, kept: FirstChoice): KnownAssignment {
  const name = coder ?? kept.coder ?? undefined
  const keptModel = name === kept.coder ? (kept.model ?? undefined) : undefined
  return {
    coder: { value: name, given: coder !== undefined },
    model: { value: model ?? keptModel, given: model !== undefined },
  }
}

/** What the first attempt began with stays, unless the task itself says otherwise. */
export function keptAssignment({ coder, model }: Assignment, kept: FirstChoice): Assignment {
  const name = kept.coder !== null && !coder.given ? kept.coder : coder.value
  const same = kept.coder === name && !model.given
  return {
    coder: { value: name, given: coder.given },
    model: same ? { value: kept.model ?? undefined, given: false } : model,
  }
}

/** The choice of the first attempt; null where there was none. */
export interface FirstChoice {
  readonly coder: string | null
  readonly model: string | null
}

/** Who would work on a task with these settings, and with which model. */
export function assignmentOf(task: TaskSettings, { project, ...base }: Defaults): Assignment {
  const coder = task.coder ?? project.coder ?? base.coder
  const ofProject = project.coder === undefined || project.coder === coder ? project.model : undefined
  const model = task.model ?? ofProject ?? (coder === base.coder ? base.model : base.modelOf(coder))
  return {
    coder: { value: coder, given: task.coder !== undefined },
    model: { value: model, given: task.model !== undefined },
  }
}
