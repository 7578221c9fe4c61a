import { claimable } from '../terms.ts'

/** Sorts and compares by bytes, as every task store does, whatever the database's locale. */
const TEXT = 'text collate "C"'

/**
 * The store's schema, one step per version; `meta` holds the number of steps applied. The columns are those of the SQLite
 * store. Never edit a released step; add a new one at the end.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table meta (key ${TEXT} primary key, value ${TEXT} not null);

  create table task (
    seq bigint generated always as identity primary key,  -- order of arrival: the tie-break within one second
    id ${TEXT} not null unique,
    id_order ${TEXT} not null,                -- sorts as people count: x.9 before x.10
    title ${TEXT} not null,
    description ${TEXT} not null default '',
    design ${TEXT} not null default '',
    acceptance_criteria ${TEXT} not null default '',
    notes ${TEXT} not null default '',
    spec_id ${TEXT} not null default '',
    status ${TEXT} not null default 'open',
    priority integer not null default 2 check (priority between 0 and 4),
    issue_type ${TEXT} not null default 'task',
    assignee ${TEXT} not null default '',
    owner ${TEXT} not null default '',
    estimated_minutes integer,
    created_at ${TEXT} not null,
    created_by ${TEXT} not null default '',
    updated_at ${TEXT} not null,
    started_at ${TEXT},
    closed_at ${TEXT},
    close_reason ${TEXT} not null default '',
    closed_by_session ${TEXT} not null default '',
    due_at ${TEXT},
    defer_until ${TEXT},
    external_ref ${TEXT},
    metadata ${TEXT} not null default '{}',
    pinned integer not null default 0,
    ephemeral integer not null default 0,
    is_template integer not null default 0,
    extra ${TEXT} not null default '{}',      -- interchange fields that are carried, not read
    next_child integer not null default 1,
    is_blocked integer not null default 0,    -- kept by readiness.ts in every writing transaction
    hold_until ${TEXT},                       -- the later of the task's own and its parents' defer_until
    not_before bigint,                        -- milliseconds of the server; a supervisor spaces its attempts by it
    claim_token bigint not null default 0,    -- fencing token: grows with every change of ownership
    lease_until bigint,                       -- milliseconds of the server; null: not claimed, or by a person
    linked integer not null default 0,        -- ever had an edge: closing it may free others
    check ((status = 'closed') = (closed_at is not null))
  );

  create index task_claimable on task (priority, created_at, seq) where ${claimable()};
  create index task_deferred on task (defer_until) where status = 'deferred';
  create index task_leased on task (lease_until) where lease_until is not null;
  create index task_spaced on task (not_before) where not_before is not null;
  create index task_stopped on task (updated_at desc, id) where status = 'blocked';

  create table dependency (
    issue_id ${TEXT} not null,
    depends_on_id ${TEXT} not null,
    type ${TEXT} not null,
    created_at ${TEXT} not null,
    created_by ${TEXT} not null default '',
    metadata ${TEXT} not null default '',
    thread_id ${TEXT} not null default '',
    any_child integer not null default 0,     -- these two are options of a waits-for edge, from its metadata
    also_blocks integer not null default 0,
    primary key (issue_id, depends_on_id)
  );
  create index dependency_up on dependency (depends_on_id, type, issue_id);

  create table label (
    task ${TEXT} not null,
    label ${TEXT} not null,
    primary key (task, label)
  );
  create index label_name on label (label, task);

  create table comment (
    seq bigint generated always as identity,
    id ${TEXT} primary key,
    issue_id ${TEXT} not null,
    author ${TEXT} not null,
    text ${TEXT} not null,
    created_at ${TEXT} not null
  );
  create index comment_task on comment (issue_id, created_at, seq);

  create table history (
    seq bigint generated always as identity primary key,
    task ${TEXT} not null,
    at ${TEXT} not null,
    actor ${TEXT} not null,
    kind ${TEXT} not null,
    changes ${TEXT} not null
  );
  create index history_task on history (task, seq);
  `,

  // 2: the machines that share the queue
  `
  create table host (
    id ${TEXT} primary key,                   -- the claimer
    name ${TEXT} not null,
    machine ${TEXT} not null,
    labels ${TEXT} not null,                  -- JSON
    version ${TEXT} not null,
    slots integer not null,
    state ${TEXT} not null,
    running ${TEXT} not null,                 -- JSON: task, title, coder, phase, for_ms
    since bigint not null,                    -- milliseconds of the server, as is the next
    seen bigint not null
  );
  `,

  // 3: task records, and orders for other machines
  `
  create table task_record (
    task ${TEXT} primary key,
    version bigint not null,                  -- grows with every write
    record ${TEXT} not null,                  -- JSON: the task's state, questions and answers, for the next machine
    asked_at bigint                           -- of its oldest open question
  );
  create index task_record_asked on task_record (asked_at) where asked_at is not null;

  create table host_order (
    id bigint generated always as identity primary key,
    host ${TEXT} not null,                    -- the claimer it is for
    kind ${TEXT} not null,
    task ${TEXT} not null,
    asked_by ${TEXT} not null,
    asked_at bigint not null,                 -- these three are milliseconds of the server
    taken_at bigint,
    done_at bigint,
    answer ${TEXT}
  );
  create index host_order_pending on host_order (host, id) where done_at is null;
  `,

  // 4: bd's configuration, key-value pairs and memories
  `
  create table queue_value (key ${TEXT} primary key, value ${TEXT} not null);
  `,

  // 5: the comment that an order is about
  `
  alter table host_order add column about ${TEXT} not null default '';
  `,
]
