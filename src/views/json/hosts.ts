import { isOnline } from '../../domain/fleet/host.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import type { HostsView } from '../hosts.ts'

export function hostsJson({ now, shared, own, hosts }: HostsView): Record<string, unknown> {
  return {
    schema_version: 1,
    shared,
    hosts: hosts.map(({ since, seen, running, ...host }) => ({
      ...host,
      here: isOnline({ seen }, now),
      own: host.id === own,
      since: rfc3339(since),
      seen: rfc3339(seen),
      running: running.map((run) => ({ ...run, since: rfc3339(run.since) })),
    })),
  }
}
