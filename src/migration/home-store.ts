import type { Contents } from '../domain/task/contents.ts'
import { lineOf, type TaskRecord } from '../domain/task/interchange.ts'
import { pluralize } from '../domain/text/pluralize.ts'
import { doltSignature } from '../platform/files/dolt-signature.ts'
import { writeFileAtomic } from '../platform/files/files.ts'
import { entryAt, move } from '../platform/files/folder.ts'
import { type Home, privateDirectory } from '../platform/files/home.ts'
import { looseIn, tighten } from '../platform/files/permissions.ts'
import { discardFolder } from '../platform/files/temporary-folder.ts'
import type { Database } from '../platform/sqlite/database.ts'
import { probeBd } from '../queues/beads/bd.ts'
import { contentsOfBeads, makeBeads, readBeads } from '../queues/beads/contents.ts'
import { contentsForBd } from '../queues/beads/contents-for-bd.ts'
import { forgetBeads } from '../queues/beads/tables.ts'
import { contentsOf, replaceContents } from '../queues/sqlite/contents.ts'
import { keepCopy } from '../store/backup.ts'
import {
  changedMeanwhile,
  fingerprint,
  isSameTasks,
  occupied,
  recordsOf,
  requireSameContents,
  requireSameTasks,
} from './compare.ts'
import type { Source, Target } from './ends.ts'

/** The queues inside a home. Its store holds either the tasks themselves or a mirror of bd's. */

export interface HomeStore {
  readonly home: Home
  readonly db: Database
  readonly env: NodeJS.ProcessEnv
  /** `local`: the store holds the tasks. `beads`: it holds a mirror. */
  readonly holds: 'local' | 'beads'
  /** false: the tasks come from a server. */
  readonly isSource: boolean
  readonly now: number
}

const nothing = async (): Promise<void> => {}
/** The actor of writes to bd. */
const BY = 'fleet'

export function localSource({ home, db }: HomeStore): Source {
  return {
    kind: 'local',
    location: home.store,
    async read() {
      const contents = contentsOf(db)
      return { contents, native: recordsOf(contents), leftBehind: [] }
    },
    [Symbol.asyncDispose]: nothing,
  }
}

/** If bd's database is missing, the mirror is all that is left of it. */
export function beadsSource({ home, db, env }: HomeStore): Source {
  return {
    kind: 'beads',
    location: home.beads,
    async read() {
      if (isBeadsMissing(home)) {
        const contents = contentsOf(db)
        return {
          contents,
          native: recordsOf(contents),
          leftBehind: [`whatever was written to ${home.beads} after fleet last read it`],
        }
      }
      const { contents, records, leftBehind } = await contentsOfBeads(db, { beads: home.beads, env })
      return { contents, native: records, leftBehind }
    },
    [Symbol.asyncDispose]: nothing,
  }
}

export function isBeadsMissing(home: Home): boolean {
  return entryAt(`${home.beads}/metadata.json`) === undefined
}

export function localTarget(store: HomeStore): Target {
  const { home, holds } = store
  return {
    kind: 'local',
    location: home.store,
    fit: (contents) => ({ contents, omitted: unrelatedNotice(store, contents) }),
    check: nothing,
    async fill(contents, { confirmUnchanged }) {
      const before = holds === 'beads' ? doltSignature(home.beads) : ''
      await confirmUnchanged()
      const kept = backUpTasks(store, contents)
      const beads = holds === 'beads' ? setAside(store) : undefined
      return undoOnFailure(beads, () => {
        // bd was called during the comparison. From here on bd no longer finds its database.
        if (beads !== undefined && doltSignature(beads.place) !== before)
          throw changedMeanwhile({ location: home.beads })
        replaceTasksInStore(store, { contents, from: contents, queue: 'local' })
        return [...kept, ...(beads === undefined ? [] : [beads.place])]
      })
    },
    [Symbol.asyncDispose]: nothing,
  }
}

export function beadsTarget(store: HomeStore): Target {
  const { home, env } = store
  return {
    kind: 'beads',
    location: home.beads,
    fit(contents) {
      const { contents: fitting, omitted } = contentsForBd(contents, BY)
      return { contents: fitting, omitted: [...omitted, ...unrelatedNotice(store, contents)] }
    },
    async check(contents) {
      await probeBd({ beads: home.beads, env })
      if (isBeadsMissing(home)) return
      const records = await readBeads({ beads: home.beads, env })
      const known =
        isSameTasks(records, recordsOf(contentsForBd(contents, BY).contents)) || isLeftBehind(store, 'beads', records)
      if (records.length > 0 && !known) throw occupied(home.beads, records.length, `move ${home.beads} away first`)
    },
    async fill(given, { confirmUnchanged }) {
      const { contents } = contentsForBd(given, BY)
      // Built in another folder, so that a half-made database is never mistaken for a whole one.
      const building = `${home.path}/moving`
      discardFolder(building)
      privateDirectory(building)
      const beads = `${building}/.beads`
      requireSameTasks(recordsOf(contents), await makeBeads(contents, { beads, env, by: BY }), home.beads)
      tighten(looseIn(beads))
      await confirmUnchanged()
      const kept = backUpTasks(store, given)
      const old = setAside(store)
      return undoOnFailure(old, () => {
        move(beads, home.beads)
        return undoOnFailure({ place: beads, back: () => move(home.beads, beads) }, () => {
          replaceTasksInStore(store, { contents, from: given, queue: 'beads' })
          discardFolder(building)
          return [...kept, ...(old === undefined ? [] : [old.place])]
        })
      })
    },
    [Symbol.asyncDispose]: nothing,
  }
}

interface Aside {
  readonly place: string
  back(): void
}

/** Moves bd's database out of the way; undefined: there is none. */
function setAside({ home, now }: HomeStore): Aside | undefined {
  if (entryAt(home.beads) === undefined) return undefined
  const place = `${home.beads}-${stamp(now)}`
  move(home.beads, place)
  return { place, back: () => move(place, home.beads) }
}

function undoOnFailure<T>(done: Aside | undefined, work: () => T): T {
  try {
    return work()
  } catch (error) {
    done?.back()
    throw error
  }
}

/** Replaces the store's tasks and records what it now holds, in one transaction. */
function replaceTasksInStore(
  store: HomeStore,
  { contents, from, queue }: { contents: Contents; from: Contents; queue: 'local' | 'beads' },
): void {
  const { db, home } = store
  db.write(() => {
    if (store.isSource && store.holds === 'local' && !isSameTasks(recordsOf(contentsOf(db)), recordsOf(from)))
      throw changedMeanwhile({ location: home.store })
    replaceContents(db, contents)
    requireSameContents(contents, contentsOf(db), home.store)
    forgetBeads(db)
    db.sql(`insert or replace into meta (key, value) values ('queue', ?)`).run(queue)
    db.sql(`delete from meta where key in ('left-local', 'left-beads')`).run()
  })
}

/** Tells people that the store's unrelated tasks will be set aside. */
function unrelatedNotice(store: HomeStore, contents: Contents): readonly string[] {
  const others = unrelatedTasks(store, contents).length
  return others === 0 ? [] : [`${pluralize(others, 'task')} of ${store.home.store}, set aside in ${store.home.backups}`]
}

/** Tasks in the store that exist nowhere else: not a mirror, and not what an earlier migration left behind. */
function unrelatedTasks(store: HomeStore, contents: Contents): readonly TaskRecord[] {
  if (store.holds === 'beads' || store.isSource) return []
  const there = recordsOf(contentsOf(store.db))
  return isSameTasks(there, recordsOf(contents)) || isLeftBehind(store, 'local', there) ? [] : there
}

function isLeftBehind({ db }: HomeStore, kind: 'local' | 'beads', records: readonly TaskRecord[]): boolean {
  const row = db.once<{ value: string }>(`select value from meta where key = 'left-${kind}'`).get()
  return row !== undefined && row.value === fingerprint(records)
}

/** Stores the fingerprint by which the home will recognise the tasks it leaves behind. */
export function rememberLeftBehind({ db, holds }: HomeStore, records: readonly TaskRecord[]): void {
  db.write(() => {
    db.sql('insert or replace into meta (key, value) values (?, ?)').run(`left-${holds}`, fingerprint(records))
  })
}

/** Copies the store before its tasks are replaced, and exports unrelated tasks for `fleet bd import`. */
function backUpTasks(store: HomeStore, contents: Contents): string[] {
  const { db, home, holds, now } = store
  if (holds === 'beads' || db.once('select 1 from task limit 1').get() === undefined) return []
  const kept = [keepCopy(db, `${home.backups}/before-migrate-${stamp(now)}.db`)]
  const others = unrelatedTasks(store, contents)
  if (others.length === 0) return kept
  const lines = `${home.backups}/before-migrate-${stamp(now)}.jsonl`
  writeFileAtomic(lines, others.map((record) => `${JSON.stringify(lineOf(record, NO_COUNTS))}\n`).join(''))
  return [...kept, lines]
}

const NO_COUNTS = { dependency_count: 0, dependent_count: 0, comment_count: 0 }

function stamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
}
