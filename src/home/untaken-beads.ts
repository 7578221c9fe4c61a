import { hasEmptyLocalQueue } from '../app.ts'
import { entryAt, namesIn } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { beadsKind } from '../queues/beads/descriptor.ts'

/**
 * bd's database with tasks that the home does not use.
 * `python`: the Python fleet made the home. `lost`: this fleet did, and its store is gone. `beside`: the home has a queue of
 * its own, without a task. `found`: there is nothing else in the home.
 */
export type UntakenBeads = 'python' | 'lost' | 'beside' | 'found'

/** `configured`: the queue that runtime.toml names; undefined: it names none. */
export function untakenBeads(home: Home, configured: string | undefined): UntakenBeads | undefined {
  if (entryAt(`${home.beads}/metadata.json`) === undefined) return undefined
  if (configured !== undefined && configured !== beadsKind.name && configured !== 'local') return undefined
  const made = makerOf(home, configured)
  if (!hasStore(home) || entryAt(home.takingOver) !== undefined) return made
  if (!hasEmptyLocalQueue(home)) return undefined
  return configured === undefined ? made : 'beside'
}

/** Every runtime.toml of this fleet names its queue; the Python fleet's has no such setting. */
function makerOf(home: Home, configured: string | undefined): UntakenBeads {
  if (configured !== undefined) return configured === beadsKind.name ? 'lost' : 'beside'
  return entryAt(home.config) !== undefined || namesIn(home.tasks).length > 0 ? 'python' : 'found'
}

export function hasStore(home: Home): boolean {
  return (entryAt(home.store)?.size ?? 0) > 0
}

/** Whether there is a copy of a lost store, which has more than bd has: sessions, attempts, answers. */
export function hasBackup(home: Home): boolean {
  return namesIn(home.backups).some((name) => /^fleet-.*\.db$/.test(name))
}
