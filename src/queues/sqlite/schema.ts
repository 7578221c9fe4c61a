import { NOT_WORK } from '../../domain/task.ts'

/**
 * The store's schema, one step per version; `PRAGMA user_version` says how many were taken.
 * A step is never edited after a release: a change is a new step at the end.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table meta (key text primary key, value text not null) strict, without rowid;

  create table task (
    seq integer primary key,                 -- order of arrival: the tie-break within one second
    id text not null unique,
    title text not null,
    description text not null default '',
    design text not null default '',
    acceptance_criteria text not null default '',
    notes text not null default '',
    spec_id text not null default '',
    status text not null default 'open',
    priority integer not null default 2 check (priority between 0 and 4),
    issue_type text not null default 'task',
    assignee text not null default '',
    owner text not null default '',
    estimated_minutes integer,
    created_at text not null,
    created_by text not null default '',
    updated_at text not null,
    started_at text,
    closed_at text,
    close_reason text not null default '',
    closed_by_session text not null default '',
    due_at text,
    defer_until text,
    external_ref text,
    metadata text not null default '{}',
    pinned integer not null default 0,
    ephemeral integer not null default 0,
    is_template integer not null default 0,
    extra text not null default '{}',        -- interchange fields that are carried, not read
    next_child integer not null default 1,
    is_blocked integer not null default 0,   -- kept by readiness.ts in every writing transaction
    hold_until text,                         -- the later of the task's own and its parents' defer_until
    claim_token integer not null default 0,  -- grows with every change of hands
    lease_until integer,                     -- milliseconds; null: not claimed, or by a person
    check ((status = 'closed') = (closed_at is not null))
  ) strict;

  create index task_claimable on task (priority, created_at, seq, hold_until) where ${claimable()};
  create index task_deferred on task (defer_until) where status = 'deferred';
  create index task_leased on task (lease_until) where lease_until is not null;

  create table dependency (
    issue_id text not null,
    depends_on_id text not null,
    type text not null,
    created_at text not null,
    created_by text not null default '',
    metadata text not null default '',
    thread_id text not null default '',
    primary key (issue_id, depends_on_id)
  ) strict, without rowid;
  create index dependency_up on dependency (depends_on_id, type, issue_id);

  create table label (
    task text not null,
    label text not null,
    primary key (task, label)
  ) strict, without rowid;
  create index label_name on label (label, task);

  create table comment (
    id text primary key,
    issue_id text not null,
    author text not null,
    text text not null,
    created_at text not null
  ) strict;
  create index comment_task on comment (issue_id, created_at);

  create table history (
    seq integer primary key,
    task text not null,
    at text not null,
    actor text not null,
    kind text not null,
    changes text not null
  ) strict;
  create index history_task on history (task, seq);
  `,
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** 'flet' in ASCII: tells a fleet store from any other SQLite file. */
export const APPLICATION_ID = 0x666c6574

/** A query uses the partial index only if it repeats these terms to the letter, so both take them from here. */
export function claimable(): string {
  const types = NOT_WORK.map((type) => `'${type}'`).join(', ')
  return `status = 'open' and is_blocked = 0 and assignee = '' and pinned = 0 and ephemeral = 0 and is_template = 0 and issue_type not in (${types})`
}
