import { openHomeStore } from '../app.ts'
import { type Looked, lookedAt } from '../config/in-force.ts'
import { type ChangedFile, taskOfFile } from '../domain/fleet/home-file.ts'
import type { Home } from '../platform/files/home.ts'
import type { HomeRecord } from '../platform/sqlite/home-record.ts'
import { guardedPaths } from '../store/home-files.ts'

/** A file of the home that was changed while agents ran: as a person left it, and as it is now. */
export interface HomeChange extends ChangedFile {
  /** null: there was no file. */
  readonly before: string | null
  readonly after: Looked['found']
}

/** The configuration, the coders and the user's configuration of git that wait for a person's decision. */
export async function homeChanges(home: Home): Promise<readonly HomeChange[]> {
  await using store = await openHomeStore(home, { readOnly: true })
  return changesIn(home, store.record)
}

/** Also one that no supervisor has noticed: agents may run without one. */
export function changesIn(home: Home, record: HomeRecord): readonly HomeChange[] {
  const noticed = new Map(record.pending().map((each) => [each.path, each]))
  return [...guardedPaths(home, record), ...record.outsidePaths()]
    .map((path) => lookedAt(home, path, record))
    .filter(({ standing }) => standing === 'held')
    .map(({ path, found }) => {
      const { noticedAt, runs } = noticed.get(path) ?? { noticedAt: Date.now(), runs: [] }
      return { path, before: record.accepted(path) ?? null, after: found, noticedAt, runs }
    })
}

/** Every change that waits for a person, those of single tasks last. */
export function waitingChanges(home: Home, record: HomeRecord): readonly ChangedFile[] {
  const ofTasks = record.pending().filter(({ path }) => taskOfFile(path) !== undefined)
  return [...changesIn(home, record).map(({ path, noticedAt, runs }) => ({ path, noticedAt, runs })), ...ofTasks]
}
