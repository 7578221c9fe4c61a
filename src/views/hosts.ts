import { openHomeStore } from '../app.ts'
import { loadConfig } from '../config/load.ts'
import { policyOf } from '../config/policy.ts'
import { type Host, hostNames, shownState } from '../domain/fleet/host.ts'
import type { Home } from '../platform/files/home.ts'
import { hostName } from '../platform/runtime/machine.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { Ledger } from '../ports/ledger.ts'
import { version } from '../version.ts'

/** The machines that work on the queue of this home. */
export interface HostsView {
  readonly now: number
  /** false: only this machine uses the queue, and only it is listed. */
  readonly shared: boolean
  /** The id of this home's supervisor. */
  readonly own: string
  readonly hosts: readonly Host[]
}

export async function hostsOf(home: Home): Promise<HostsView> {
  await using store = await openHomeStore(home, { readOnly: true })
  const { queue, ledger } = store
  const own = store.claimer(hostName())
  const hosts = queue.hosts === undefined ? await thisMachine(home, ledger, own) : await queue.hosts.all()
  return { now: Date.now(), shared: queue.hosts !== undefined, own, hosts }
}

/** Without a shared queue there are no heartbeats to read; the home itself has the same facts. */
async function thisMachine(home: Home, ledger: Ledger, id: string): Promise<readonly Host[]> {
  const holder = supervisorAlive(home)
  if (holder === undefined) return []
  const now = Date.now()
  const { config } = await loadConfig(home.config)
  const { host, maxConcurrent } = policyOf(config, holder.flags ?? {})
  return [
    {
      id,
      ...hostNames(host, hostName()),
      version: holder.version ?? version,
      since: holder.startedAt ?? now,
      slots: maxConcurrent,
      state: shownState(holder.mode ?? 'claiming', { paused: ledger.paused() !== undefined }),
      running: ledger.openRuns().map(({ task, title, coder, startedAt, phase }) => {
        return { task, title, coder, since: startedAt, phase }
      }),
      seen: now,
    },
  ]
}
