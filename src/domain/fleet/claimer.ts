import type { Host } from './host.ts'

/** `fleet-a1b2c3@web-2`: the supervisor of one home, among those of others that claim from the same queue. */
const CLAIMER = /^(fleet-[0-9a-z]{6})@(.+)$/

/** Who claims for a home, from a queue that others claim from too. */
export function claimerOf(homeId: string, host: string): string {
  return `fleet-${homeId}@${host}`
}

/** The machine that a supervisor of a shared queue claims for; undefined: it is no such name. */
export function machineOf(claimer: string): string | undefined {
  return CLAIMER.exec(claimer)?.[2]
}

/** A machine may be given another name; its home stays the same. */
export function sameHome(one: string, other: string): boolean {
  const home = CLAIMER.exec(one)?.[1]
  return home !== undefined && home === CLAIMER.exec(other)?.[1]
}

/** Where an agent is at work on a task that another home has claimed. */
export interface Elsewhere {
  /** Its supervisor's name in the queue. */
  readonly host: string
  /** For people. */
  readonly machine: string
}

/** `own`: who claimed it for the run of it that is open in this home, which may have lost it since; undefined: there is none. */
export function runningElsewhere(
  { status, assignee }: { readonly status: string; readonly assignee: string },
  hosts: readonly Pick<Host, 'id' | 'name'>[],
  own?: string,
): Elsewhere | undefined {
  if (own !== undefined && (own === assignee || sameHome(own, assignee))) return undefined
  const machine = hosts.find(({ id }) => id === assignee)?.name ?? machineOf(assignee)
  return status === 'in_progress' && machine !== undefined ? { host: assignee, machine } : undefined
}
