import type { Contents } from '../domain/contents.ts'
import { entryAt, move } from '../platform/folder.ts'
import { type Home, privateDirectory } from '../platform/home.ts'
import { looseIn, tighten } from '../platform/permissions.ts'
import type { Database } from '../platform/sqlite.ts'
import { throwAway } from '../platform/throw-away.ts'
import { probeBd } from '../queues/beads/bd.ts'
import { contentsOfBeads, makeBeads, readBeads } from '../queues/beads/contents.ts'
import { holdable } from '../queues/beads/holdable.ts'
import { forgetBeads } from '../queues/beads/tables.ts'
import { contentsOf, replaceContents } from '../queues/sqlite/contents.ts'
import { keepCopy } from '../store/backup.ts'
import { fingerprint, isSame, mustBeSame, mustKeepAll, occupied, recordsOf } from './compare.ts'
import type { Source, Target } from './place.ts'

/** The queues that a home has of its own. What its store holds is either the tasks, or a mirror of bd's. */

export interface OwnStore {
  readonly home: Home
  readonly db: Database
  readonly env: NodeJS.ProcessEnv
  /** What the store holds now. */
  readonly own: 'local' | 'beads'
  readonly now: number
}

const nothing = async (): Promise<void> => {}
/** The name under which bd is told. */
const BY = 'fleet'

export function localSource({ home, db }: OwnStore): Source {
  return {
    kind: 'local',
    location: home.store,
    async read() {
      const contents = contentsOf(db)
      return { contents, own: recordsOf(contents), stays: [] }
    },
    [Symbol.asyncDispose]: nothing,
  }
}

/** Where bd's database is gone, the mirror is what is left of it. */
export function beadsSource({ home, db, env }: OwnStore): Source {
  return {
    kind: 'beads',
    location: home.beads,
    async read() {
      if (isGone(home)) {
        const contents = contentsOf(db)
        return {
          contents,
          own: recordsOf(contents),
          stays: [`whatever came to ${home.beads} after the last look at it`],
        }
      }
      const { contents, records, memories } = await contentsOfBeads(db, { beads: home.beads, env })
      const stays = memories === 0 ? [] : [`${memories} of bd's memories`]
      return { contents, own: records, stays }
    },
    [Symbol.asyncDispose]: nothing,
  }
}

export function isGone(home: Home): boolean {
  return entryAt(`${home.beads}/metadata.json`) === undefined
}

export function localTarget(store: OwnStore): Target {
  const { home, own, now } = store
  return {
    kind: 'local',
    location: home.store,
    held: (contents) => ({ contents, unheld: [] }),
    survey: async (contents) => requireReplaceable(store, contents),
    async fill(contents, steady) {
      const aside = keepTasks(store)
      await steady()
      settleIn(store, { contents, from: contents, queue: 'local' })
      if (own === 'beads' && entryAt(home.beads) !== undefined) {
        const place = `${home.beads}-${stamp(now)}`
        move(home.beads, place)
        aside.push(place)
      }
      return aside
    },
    [Symbol.asyncDispose]: nothing,
  }
}

export function beadsTarget(store: OwnStore): Target {
  const { home, env, now } = store
  return {
    kind: 'beads',
    location: home.beads,
    held: (contents) => holdable(contents, BY),
    async survey(contents) {
      requireReplaceable(store, contents)
      await probeBd({ beads: home.beads, env })
      if (isGone(home)) return
      const { records } = await readBeads({ beads: home.beads, env })
      const known = isSame(records, recordsOf(holdable(contents, BY).contents)) || isLeft(store, 'beads', records)
      if (records.length > 0 && !known) throw occupied(home.beads, records.length, `move ${home.beads} away first`)
    },
    async fill(given, steady) {
      const { contents } = holdable(given, BY)
      // Made beside its place, so that a database that came to nothing is never taken for one.
      const building = `${home.path}/moving`
      throwAway(building)
      privateDirectory(building)
      const beads = `${building}/.beads`
      mustBeSame(recordsOf(contents), await makeBeads(contents, { beads, env, by: BY }), home.beads)
      tighten(looseIn(beads))
      const aside = keepTasks(store)
      await steady()
      if (entryAt(home.beads) !== undefined) {
        const place = `${home.beads}-${stamp(now)}`
        move(home.beads, place)
        aside.push(place)
      }
      move(beads, home.beads)
      settleIn(store, { contents, from: given, queue: 'beads' })
      throwAway(building)
      return aside
    },
    [Symbol.asyncDispose]: nothing,
  }
}

/** The tasks of the home's own store, and what it says about its queue, in one transaction. */
function settleIn(
  store: OwnStore,
  { contents, from, queue }: { contents: Contents; from: Contents; queue: 'local' | 'beads' },
): void {
  const { db, home } = store
  db.write(() => {
    requireReplaceable(store, from)
    replaceContents(db, contents)
    mustKeepAll(contents, contentsOf(db), home.store)
    forgetBeads(db)
    db.sql(`insert or replace into meta (key, value) values ('queue', ?)`).run(queue)
    db.sql(`delete from meta where key in ('left-local', 'left-beads')`).run()
  })
}

/** A mirror may be written over, and so may what the home left behind when it moved elsewhere. */
function requireReplaceable(store: OwnStore, contents: Contents): void {
  const { db, own, home } = store
  if (own === 'beads') return
  const there = recordsOf(contentsOf(db))
  if (there.length === 0 || isSame(there, recordsOf(contents)) || isLeft(store, 'local', there)) return
  throw occupied(
    home.store,
    there.length,
    'they are not those that are to be moved: fleet bd export saves them, fleet bd delete makes room',
  )
}

function isLeft({ db }: OwnStore, kind: 'local' | 'beads', records: Parameters<typeof fingerprint>[0]): boolean {
  const row = db.once<{ value: string }>(`select value from meta where key = 'left-${kind}'`).get()
  return row !== undefined && row.value === fingerprint(records)
}

/** The home goes elsewhere: by this it will know what it left here. */
export function remember({ db, own }: OwnStore, records: Parameters<typeof fingerprint>[0]): void {
  db.write(() => {
    db.sql('insert or replace into meta (key, value) values (?, ?)').run(`left-${own}`, fingerprint(records))
  })
}

/** A copy of the store before its tasks become others. */
function keepTasks({ db, home, own, now }: OwnStore): string[] {
  if (own === 'beads' || db.once('select 1 from task limit 1').get() === undefined) return []
  return [keepCopy(db, `${home.backups}/before-migrate-${stamp(now)}.db`)]
}

function stamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
}
