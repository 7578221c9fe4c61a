import type { Database } from '../../platform/sqlite/database.ts'

/**
 * What fleet keeps beside bd, in the home's own store. The tasks themselves are mirrored into the tables of the local
 * queue, whose rules of readiness, claims and tokens then hold here too (docs/adr/0012).
 */
const TABLES = `
  create table if not exists beads_seen (
    task text primary key,
    line text not null,                      -- hash of bd's own line about it, at the last look
    status text not null,                    -- who had it then, in bd's words
    assignee text not null,
    touched integer not null default 0       -- when fleet last wrote it here, in milliseconds
  ) strict, without rowid;

  create table if not exists beads_owed (
    seq integer primary key,
    task text not null,
    commands text not null,                  -- JSON: what bd has yet to be told, in order
    hands text not null,                     -- JSON: how bd may show the task while this is on its way
    made integer not null,                   -- milliseconds, like all moments here
    told integer,                            -- when bd was told; null: it was not
    tries integer not null default 0
  ) strict;
  create index if not exists beads_owed_task on beads_owed (task);

  create table if not exists beads_state (key text primary key, value text not null) strict, without rowid;
`

/** Made by `fleet init`, and where they are missing by whoever opens the queue. */
export function makeTables(db: Database): void {
  const there = db.once<{ n: number }>(`select count(*) as n from sqlite_schema where name = 'beads_state'`).get()
  if (there?.n !== 1) db.exec(TABLES)
}

/** What was seen of bd and is owed to it is worth nothing to a store whose tasks are others now. */
export function forgetBeads(db: Database): void {
  const there = db.once<{ name: string }>(
    `select name from sqlite_schema where name in ('beads_seen', 'beads_owed', 'beads_state')`,
  )
  for (const { name } of there.all()) db.once(`delete from ${name}`).run()
}

/** What was written before the clock went back lies in the past, not in the future. */
export function clockSetBack(db: Database, by: number): void {
  db.sql('update beads_seen set touched = touched - ?').run(by)
  db.sql('update beads_owed set made = made - ?1, told = told - ?1').run(by)
  setState(db, 'looked', '0')
}

/** bd's database and when it was looked at; whether fleet wrote since; the names of supervisors; which bd was found. */
type StateKey = 'signature' | 'looked' | 'wrote' | 'claimers' | 'bd'

export function stateOf(db: Database, key: StateKey): string {
  return db.sql<{ value: string }>('select value from beads_state where key = ?').get(key)?.value ?? ''
}

export function setState(db: Database, key: StateKey, value: string): void {
  db.sql('insert into beads_state (key, value) values (?1, ?2) on conflict (key) do update set value = ?2').run(
    key,
    value,
  )
}
