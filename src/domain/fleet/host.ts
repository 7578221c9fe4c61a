/** The names of one supervisor on a shared queue. */
export interface HostNames {
  /** `[hosts] name`, or else the machine's hostname. */
  readonly name: string
  /** The machine's hostname. */
  readonly machine: string
  readonly labels: readonly string[]
}

/** A supervisor's report about itself to the other machines. */
export interface HostReport extends HostNames {
  /** Its claimer name, which is unique, unlike `name`. */
  readonly id: string
  readonly version: string
  /** When it started, in milliseconds of the caller's clock. */
  readonly since: number
  readonly slots: number
  readonly state: HostState
  readonly running: readonly HostRun[]
}

/** Whether it claims tasks, and if not, why. `tending`: it only looks after running agents, as requested. */
export type HostState = 'claiming' | 'paused' | 'draining' | 'stopping' | 'tending'

/** A pause matters only to a supervisor that would otherwise claim. */
export function shownState(mode: HostState, { paused }: { paused: boolean }): HostState {
  return mode === 'claiming' && paused ? 'paused' : mode
}

export interface HostRun {
  readonly task: string
  readonly title: string
  readonly coder: string
  /** In milliseconds of the caller's clock. */
  readonly since: number
  readonly phase: string
}

export interface Host extends HostReport {
  /** Its last heartbeat, in milliseconds of the caller's clock. */
  readonly seen: number
}

export const HEARTBEAT_EVERY_MS = 5000
/** Without a heartbeat for this long a machine is offline: three were lost. */
const OFFLINE_AFTER_MS = 15_000

export function isOnline({ seen }: Pick<Host, 'seen'>, now: number): boolean {
  return now - seen <= OFFLINE_AFTER_MS
}

export function hostNames(own: { name?: string | undefined; labels: readonly string[] }, machine: string): HostNames {
  return { name: own.name ?? machine, machine, labels: own.labels }
}

/** Whether a task that asks for a machine, by name or label, may run on this one. */
export function suits(on: string | undefined, { name, machine, labels }: HostNames): boolean {
  return on === undefined || on === name || on === machine || labels.includes(on)
}
