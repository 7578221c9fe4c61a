import type { Host, HostReport, HostRun, HostState } from '../../domain/fleet/host.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import type { Hosts } from '../../ports/hosts.ts'
import { MOMENT } from './moment.ts'

/** A machine that has been silent this long will not come back under its name. */
const FORGOTTEN_MS = 7 * 86_400_000

/** Times are sent as durations ($8, and inside $9), because machines' clocks differ. */
const ANNOUNCE = `
  with ${MOMENT}, forgotten as (delete from host where seen < (select ms from moment) - ${FORGOTTEN_MS} and id <> $2)
  insert into host (id, name, machine, labels, version, slots, state, running, since, seen)
  select $2, $3, $4, $5, $6, $7::integer, $10, $9, ms - $8::bigint, ms from moment
  on conflict (id) do update set name = excluded.name, machine = excluded.machine, labels = excluded.labels,
    version = excluded.version, slots = excluded.slots, state = excluded.state, running = excluded.running,
    since = excluded.since, seen = excluded.seen`

const ALL = `
  with ${MOMENT} select host.id, name, machine, labels, version, slots, state, running,
    (select ms from moment) - since as up, (select ms from moment) - seen as silent
  from host where seen >= (select ms from moment) - ${FORGOTTEN_MS} order by name, host.id`

interface HostRow extends Omit<HostReport, 'labels' | 'running' | 'since' | 'state'> {
  labels: string
  running: string
  state: string
  up: number
  silent: number
}

/** `own`: the caller's time instead of the server's, for tests. `now`: the clock in which results are expressed. */
export function postgresHosts(sql: Sql, { own, now }: { own: () => number | null; now: () => number }): Hosts {
  return {
    async announce(report) {
      const at = now()
      const running = report.running.map(({ since, ...run }) => ({ ...run, for_ms: Math.round(at - since) }))
      await sql.change(ANNOUNCE, [
        own(),
        report.id,
        report.name,
        report.machine,
        JSON.stringify(report.labels),
        report.version,
        report.slots,
        Math.round(at - report.since),
        JSON.stringify(running),
        report.state,
      ])
    },
    async leave(id) {
      await sql.change('delete from host where id = $1', [id])
    },
    async all() {
      const at = now()
      return (await sql.rows<HostRow>(ALL, [own()])).map((row) => hostOf(row, at))
    },
  }
}

function hostOf({ labels, running, up, silent, state, ...row }: HostRow, now: number): Host {
  const seen = now - silent
  type Stored = Omit<HostRun, 'since'> & { for_ms: number }
  return {
    ...row,
    state: state as HostState,
    labels: JSON.parse(labels),
    running: (JSON.parse(running) as Stored[]).map(({ for_ms, ...run }) => ({ ...run, since: seen - for_ms })),
    since: now - up,
    seen,
  }
}
