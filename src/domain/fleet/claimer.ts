import type { Host } from './host.ts'

/** `fleet-a1b2c3@web-2`: the supervisor of one home on a shared queue. */
const CLAIMER = /^(fleet-[0-9a-z]{6})@(.+)$/

/** The name under which a home's supervisor claims from a shared queue. */
export function claimerOf(homeId: string, host: string): string {
  return `fleet-${homeId}@${host}`
}

/** The machine in a claimer's name; undefined if the name is not a supervisor's. */
export function machineOf(claimer: string): string | undefined {
  return CLAIMER.exec(claimer)?.[2]
}

/** Compares homes, not machines: a machine can be renamed, its home stays the same. */
export function sameHome(one: string, other: string): boolean {
  const home = CLAIMER.exec(one)?.[1]
  return home !== undefined && home === CLAIMER.exec(other)?.[1]
}

/** Another home that has claimed a task and works on it. */
export interface Elsewhere {
  /** Its supervisor's claimer name. */
  readonly host: string
  /** The machine's name, for people. */
  readonly machine: string
}

/** `own`: the claimer of this home's open run of the task, if there is one. That run may have lost the task meanwhile. */
export function runningElsewhere(
  { status, assignee }: { readonly status: string; readonly assignee: string },
  hosts: readonly Pick<Host, 'id' | 'name'>[],
  own?: string,
): Elsewhere | undefined {
  if (own !== undefined && (own === assignee || sameHome(own, assignee))) return undefined
  const machine = hosts.find(({ id }) => id === assignee)?.name ?? machineOf(assignee)
  return status === 'in_progress' && machine !== undefined ? { host: assignee, machine } : undefined
}
