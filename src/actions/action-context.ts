import type { Home } from '../platform/files/home.ts'
import type { SuperviseOptions } from '../supervise.ts'

/** The inputs of every action that a person asks for. */
export interface ActionContext {
  readonly home: Home
  /** The person, by name. */
  readonly by: string
  /** Called when the action has to wait for longer than a second. */
  readonly progress?: (progress: Progress) => void
}

export type Progress =
  /** Agents of this machine are being stopped. */
  | { readonly kind: 'tasks-ending'; readonly tasks: readonly string[] }
  | { readonly kind: 'task-ending-elsewhere'; readonly task: string; readonly machine: string }
  | { readonly kind: 'machine-answering'; readonly machine: string }
  | { readonly kind: 'supervisor-stopping' }
  | { readonly kind: 'draining'; readonly agents: number }

/** The program that a supervisor and its agents call as `fleet`. */
export type Program = SuperviseOptions['program']
