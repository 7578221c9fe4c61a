/** One supervisor of one home, as those who share its queue know it. */
export interface HostNames {
  /** What people call it: `[hosts] name`, or else the machine's own name. */
  readonly name: string
  /** The machine's own name. */
  readonly machine: string
  readonly labels: readonly string[]
}

/** What a supervisor tells the others of itself. */
export interface HostReport extends HostNames {
  /** Who claims: unlike its name it is nobody else's. */
  readonly id: string
  readonly version: string
  /** Since when it supervises, in milliseconds of the caller's clock. */
  readonly since: number
  readonly slots: number
  readonly state: HostState
  readonly running: readonly HostRun[]
}

/** Whether it claims, and why not. `tending`: it was told to look after what runs, and no more. */
export type HostState = 'claiming' | 'paused' | 'draining' | 'stopping' | 'tending'

/** A pause is no more to be seen once there is nothing it could keep from being claimed. */
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
  /** Its last beat, in milliseconds of the caller's clock. */
  readonly seen: number
}

/** How often a supervisor says that it is there. */
export const HEARTBEAT_EVERY_MS = 5000
/** Without a beat for so long it is away: three are lost. */
const AWAY_AFTER_MS = 15_000

export function isHere({ seen }: Pick<Host, 'seen'>, now: number): boolean {
  return now - seen <= AWAY_AFTER_MS
}

export function hostNames(own: { name?: string | undefined; labels: readonly string[] }, machine: string): HostNames {
  return { name: own.name ?? machine, machine, labels: own.labels }
}

/** Whether a task that asks for a machine, by name or label, may run on this one. */
export function suits(on: string | undefined, { name, machine, labels }: HostNames): boolean {
  return on === undefined || on === name || on === machine || labels.includes(on)
}
