import type { Host, HostReport } from '../domain/fleet/host.ts'

/** The machines that work on a shared queue. All times are by the caller's clock, however the other clocks are set. */
export interface Hosts {
  /** A heartbeat: this machine is online, and this is its state. A machine that stops sending them counts as offline. */
  announce(report: HostReport): Promise<void>
  /** This machine ends, and leaves nothing running. */
  leave(id: string): Promise<void>
  /** Sorted by name, offline ones included. */
  all(): Promise<readonly Host[]>
}
