import type { RefusedModel } from '../domain/fleet/refused-model.ts'
import type { Lane } from '../domain/run/run.ts'

/** Commands of people that a supervisor carries out for another machine. */
export interface Steering {
  /** `fleet resume` without a task: claims again, and tries every lane that is down or paused. */
  resume(by: string): Promise<Resumed>
  /** The permissions may have changed: tasks that were blocked under others are opened again. Returns these. */
  letDeniedGo(permissions: string): Promise<readonly string[]>
}

export interface Resumed {
  /** Claiming was paused before. */
  readonly paused: boolean
  /** The lanes that are tried again, as they were before. */
  readonly lanes: readonly Lane[]
  /** The refused models that are tried again. */
  readonly models: readonly RefusedModel[]
}
