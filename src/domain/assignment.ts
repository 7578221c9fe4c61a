import type { TaskSettings } from './settings.ts'

/** A value in force, and whether the user gave it on the task itself. */
export interface Chosen<T> {
  readonly value: T
  readonly given: boolean
}

export interface Defaults {
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

/** Who would work on a task with these settings, and with which model. */
export function assignmentOf(settings: TaskSettings, defaults: Defaults): Assignment {
  const coder = settings.coder ?? defaults.coder
  const model = settings.model ?? (coder === defaults.coder ? defaults.model : defaults.modelOf(coder))
  return {
    coder: { value: coder, given: settings.coder !== undefined },
    model: { value: model, given: settings.model !== undefined },
  }
}
