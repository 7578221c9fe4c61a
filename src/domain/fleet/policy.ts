import type { Withholds } from '../agent/withholding.ts'
import type { CloseAt } from '../run/judgement.ts'
import type { Limits } from '../run/watchdog.ts'
import type { TaskSettings } from '../task/settings.ts'
import type { Assignment } from './assignment.ts'

/** What the configuration means for the supervisor: values to decide with, whatever file they came from. */
export interface Policy {
  readonly maxConcurrent: number
  readonly maxAttempts: number
  readonly permissions: 'full' | 'workspace' | 'settings'
  readonly lean: boolean
  /** The variables that agents do not inherit, `env_pass` taken into account. */
  readonly withholds: Withholds
  readonly limits: Limits
  /** How long a claim lasts without being renewed. */
  readonly lease: number
  assignment(settings: TaskSettings): Assignment
  closeAt(cwd: string | undefined): CloseAt
  /** The project a directory belongs to and how many agents may work in it; undefined: no bound of its own. */
  projectCap(cwd: string | undefined): { readonly path: string; readonly cap: number } | undefined
  /** Variables the user gives this coder. */
  coderEnv(coder: string): Readonly<Record<string, string>>
  readonly host: HostPolicy
}

/** What the user says of this machine. Paths are absolute. */
export interface HostPolicy {
  readonly name: string | undefined
  readonly labels: readonly string[]
  readonly paths: Readonly<Record<string, string>>
  readonly clone: string | undefined
}
