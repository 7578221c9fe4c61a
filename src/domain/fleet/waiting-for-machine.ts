import { type Host, type HostNames, isOnline, suits } from './host.ts'
import type { Place } from './place.ts'

/** Why no machine can take a task. */
export type MachineWait =
  /** It asks for a machine that is not online. `seen`: when it last was; null: never. */
  | { readonly kind: 'machine'; readonly on: string; readonly seen: number | null }
  /** The only machine that may take it has no such directory, and nothing to clone. */
  | { readonly kind: 'directory'; readonly cwd: string }

export interface Machines {
  /** The online machines that the task may run on, as far as this machine knows: it does not know others' directories. */
  readonly able: readonly Host[]
  readonly wait: MachineWait | undefined
}

export function machinesFor(
  { on, place }: { on: string | undefined; place: Place },
  { hosts, own, now }: { hosts: readonly Host[]; own: HostNames & { readonly id: string }; now: number },
): Machines {
  const fitting = hosts.filter((host) => suits(on, host))
  const ownCan = suits(on, own) && place.kind !== 'nowhere'
  const able = fitting.filter((host) => isOnline(host, now) && (host.id !== own.id || ownCan))
  if (able.length > 0 || ownCan) return { able, wait: undefined }
  if (on !== undefined && !suits(on, own)) {
    const seen = fitting.length === 0 ? null : Math.max(...fitting.map((host) => host.seen))
    return { able, wait: { kind: 'machine', on, seen } }
  }
  return { able, wait: place.kind === 'nowhere' ? { kind: 'directory', cwd: place.cwd } : undefined }
}
