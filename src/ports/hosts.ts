import type { Host, HostReport } from '../domain/fleet/host.ts'

/** Who works on a shared queue. Moments are of the caller's clock, whatever those of the others say. */
export interface Hosts {
  /** It is there, and this is what it does. Said again and again: who is silent counts as away. */
  announce(report: HostReport): Promise<void>
  /** It has gone, and left nothing running. */
  leave(id: string): Promise<void>
  /** By name; also those that are away. */
  all(): Promise<readonly Host[]>
}
