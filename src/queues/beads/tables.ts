import type { Database } from '../../platform/sqlite/database.ts'

/**
 * The state fleet keeps beside bd, in the home's store. The tasks are mirrored into the tables of the local queue, so its
 * rules for readiness, claims and tokens apply here too (docs/adr/0012).
 */
const TABLES = `
  create table if not exists beads_seen (
    task text primary key,
    line text not null,                      -- hash of bd's export line at the last sync
    status text not null,                    -- ownership at the last sync
    assignee text not null,
    touched integer not null default 0       -- when fleet last wrote the task, in milliseconds
  ) strict, without rowid;

  -- the outbox
  create table if not exists beads_owed (
    seq integer primary key,
    task text not null,
    commands text not null,                  -- JSON: the commands for bd, in order
    hands text not null,                     -- JSON: ownerships bd may show until it has applied them
    made integer not null,                   -- milliseconds, like all times here
    told integer,                            -- when it was sent; null: not yet
    tries integer not null default 0
  ) strict;
  create index if not exists beads_owed_task on beads_owed (task);

  create table if not exists beads_state (key text primary key, value text not null) strict, without rowid;
`

/** `fleet init` creates them; opening the queue creates them if they are missing. */
export function makeTables(db: Database): void {
  const there = db.once<{ n: number }>(`select count(*) as n from sqlite_schema where name = 'beads_state'`).get()
  if (there?.n !== 1) db.exec(TABLES)
}

/** After a migration replaced the store's tasks, the outbox and the sync state no longer apply to them. */
export function forgetBeads(db: Database): void {
  const there = db.once<{ name: string }>(
    `select name from sqlite_schema where name in ('beads_seen', 'beads_owed', 'beads_state')`,
  )
  for (const { name } of there.all()) db.once(`delete from ${name}`).run()
}

/** Shifts stored times, so that writes from before the clock was set back do not lie in the future. */
export function clockSetBack(db: Database, by: number): void {
  db.sql('update beads_seen set touched = touched - ?').run(by)
  db.sql('update beads_owed set made = made - ?1, told = told - ?1').run(by)
  setState(db, 'looked', '0')
}

/** The signature and time of the last sync; whether fleet wrote since; the supervisors' names; the bd that was found. */
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
