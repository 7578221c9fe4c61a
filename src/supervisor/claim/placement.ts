import { hostNames, suits } from '../../domain/fleet/host.ts'
import { type Place, placeFor } from '../../domain/fleet/place.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { repositoryOf } from '../../domain/task/repository.ts'
import { settingsOf, type TaskSettings } from '../../domain/task/settings.ts'
import type { Metadata } from '../../domain/task/task.ts'
import { isSystemTrouble } from '../run/fault.ts'
import type { World } from '../world.ts'

/** Where a task would run on this machine, and its settings with the directory as it is here. */
export interface Placed {
  readonly place: Place
  readonly settings: TaskSettings
}

export function placedHere(world: World, metadata: Metadata): Placed {
  return placing(world)(metadata)
}

/** For many tasks at one moment. Remembers directories: there may be thousands of tasks, in a few directories. */
export function placing(world: World): (metadata: Metadata) => Placed {
  const { paths, clone } = world.policy().host
  const found = new Map<string, boolean>()
  const exists = (directory: string): boolean => {
    const is = found.get(directory) ?? world.machine.directoryProblem(directory) === undefined
    found.set(directory, is)
    return is
  }
  return (metadata) => {
    const given = settingsOf(metadata)
    // A queue of one machine holds that machine's directories: no search is needed.
    if (world.hosts === undefined) {
      return { place: given.cwd === undefined ? { kind: 'own' } : { kind: 'here', cwd: given.cwd }, settings: given }
    }
    const place = placeFor({ cwd: given.cwd, repository: repositoryOf(metadata) }, { paths, clone, exists })
    return { place, settings: place.kind === 'own' ? given : { ...given, cwd: place.cwd } }
  }
}

/** Whether the task may run on this machine: its `--on` fits, and its directory is here or can be made. */
export function isForHere(world: World, { place, settings }: Placed): boolean {
  const { host } = world.policy()
  return place.kind !== 'nowhere' && suits(settings.on, hostNames(host, world.machine.hostName))
}

/** Makes the clone an attempt works in. Returns the attempt's outcome if that fails. */
export async function prepareClone(
  world: World,
  run: Run,
  { cwd, root, remote }: Extract<Place, { kind: 'clone' }>,
): Promise<Outcome | undefined> {
  const { ledger, workspace, machine, log } = world
  const alone = !ledger.openRuns().some((other) => other.id !== run.id && machine.contains(root, other.cwd))
  try {
    const aside = await workspace.checkOut({ remote, root, alone })
    if (aside !== undefined) log('clone-not-updated', { task: run.task, why: aside })
  } catch (error) {
    if (isSystemTrouble(world, error)) throw error
    return { code: 'error', text: error instanceof Error ? error.message : String(error) }
  }
  const problem = machine.directoryProblem(cwd)
  return problem === undefined ? undefined : { code: 'missing-cwd', text: `its directory ${cwd} ${problem}` }
}
