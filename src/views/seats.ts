import type { HomeStore } from '../app.ts'
import { hostNames, isOnline } from '../domain/fleet/host.ts'
import { type LocalPaths, placeFor } from '../domain/fleet/place.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import type { FleetContext } from '../domain/fleet/waiting.ts'
import { machinesFor } from '../domain/fleet/waiting-for-machine.ts'
import { repositoryOf } from '../domain/task/repository.ts'
import { settingsOf } from '../domain/task/settings.ts'
import type { Metadata } from '../domain/task/task.ts'
import { directoryProblem } from '../platform/files/paths.ts'
import { hostName } from '../platform/runtime/machine.ts'

/** Whether a machine can take a task, and how many agents the machines that can have room for. */
type Seats = Pick<FleetContext, 'supervisor' | 'machine' | 'running' | 'most'> & {
  /** No other machine can take the task, so a pause or a lane of this home delays it. */
  readonly ownAlone: boolean
}

/**
 * `supervised`: this home has a supervisor. Without a policy, because the configuration cannot be read, the names,
 * directories and slots of this machine are unknown, and the result claims nothing about them.
 */
export async function seatsFor(
  metadata: Metadata,
  { store, policy, supervised }: { store: HomeStore; policy: Policy | undefined; supervised: boolean },
): Promise<Seats> {
  const { on, cwd } = settingsOf(metadata)
  const { hosts } = store.queue
  if (policy === undefined) {
    const others = (await hosts?.all()) ?? []
    const supervisor = supervised || others.some((host) => isOnline(host, Date.now()))
    return { supervisor, machine: undefined, running: 0, most: Number.POSITIVE_INFINITY, ownAlone: supervised }
  }
  const id = store.claimer(hostName())
  const own = { id, ...hostNames(policy.host, hostName()) }
  const now = Date.now()
  if (hosts === undefined) {
    const place = { kind: 'own' } as const
    const { wait } = machinesFor({ on, place }, { hosts: [], own, now })
    const running = store.ledger.openRuns().length
    return { supervisor: supervised, machine: wait, running, most: policy.maxConcurrent, ownAlone: true }
  }
  const ground: LocalPaths = { ...policy.host, exists: (directory) => directoryProblem(directory) === undefined }
  const place = placeFor({ cwd, repository: repositoryOf(metadata) }, ground)
  const { able, wait } = machinesFor({ on, place }, { hosts: await hosts.all(), own, now })
  return {
    supervisor: able.length > 0 || (supervised && wait === undefined),
    machine: wait,
    running: able.reduce((sum, host) => sum + host.running.length, 0),
    most: able.length === 0 ? policy.maxConcurrent : able.reduce((sum, host) => sum + host.slots, 0),
    ownAlone: able.every((host) => host.id === id),
  }
}
