import type { StoreLoss } from '../domain/fleet/store-loss.ts'
import type { Outcome } from '../domain/run/outcome.ts'

/** Whether the files that a supervisor works with are still the ones it opened. */
export interface StoreWatch {
  /** A few system calls, so it may be asked every second and before every claim. undefined: everything is in its place. */
  lost(): StoreLoss | undefined
  /**
   * Makes a backup of what the supervisor still has open, in which these runs are noted as being stopped. Returns its path;
   * undefined: there is no home to put it into, or the rest is not a whole store.
   */
  rescue(stops: readonly NotedStop[]): string | undefined
}

export interface NotedStop {
  readonly run: string
  readonly want: Outcome
}
