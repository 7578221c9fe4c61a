import { claimable } from '../terms.ts'

/**
 * The store's schema, one step per version; `PRAGMA user_version` holds the number of steps applied.
 * Never edit a released step, not even its comments: SQLite stores them. Add a new one at the end.
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
  `
  alter table task add column not_before integer; -- milliseconds; a supervisor spaces its attempts by it
  drop index task_claimable;
  create index task_claimable on task (priority, created_at, seq, hold_until, not_before) where ${claimable()};
  create index task_spaced on task (not_before) where not_before is not null;
  create index task_stopped on task (updated_at desc, id) where status = 'blocked';

  create table run (
    seq integer primary key,
    id text not null unique,
    task text not null,
    attempt integer not null,
    claimed_by text not null,
    token integer not null,
    coder text not null,
    model text,
    lane text not null,
    cwd text not null,
    title text not null,
    phase text not null,
    started_at integer not null,
    ended_at integer,
    pid integer,                             -- these three together or none
    start_time text,
    boot_id text,
    namespace integer not null default 0,
    resumes text,
    want text,                               -- JSON: the outcome it was stopped for, while it is stopping
    outcome text,                            -- JSON
    next text,                               -- JSON: what its task is to become
    figures text not null                    -- JSON: read and written whole, once a second for every open run
  ) strict;
  create unique index run_attempt on run (task, attempt);
  create index run_open on run (seq) where phase <> 'settled';
  create index run_ended on run (ended_at, seq) where ended_at is not null;

  create table task_state (
    task text primary key,
    attempts integer not null,
    failures integer not null,
    stalls integer not null,
    hand_overs integer not null,
    coder text,
    model text,
    session text,
    waiting text,
    waiting_until integer,
    waiting_since integer,
    last_outcome text                        -- JSON
  ) strict, without rowid;
  create index task_state_waiting on task_state (waiting_until is null, waiting_until, task) where waiting is not null;

  create table lane (
    name text primary key,
    state text not null,
    until integer,
    code text,
    reason text,
    since integer not null
  ) strict, without rowid;

  create table question (
    id integer primary key autoincrement,    -- a number that was told to somebody never means another one
    task text not null,
    run text not null,
    asked_at integer not null,
    text text not null,
    options text not null,                   -- JSON
    suggestion text,
    answered_at integer,
    answered_by text,
    answer text
  ) strict;
  create index question_task on question (task, id);
  create index question_open on question (id) where answered_at is null;

  create table request (
    id integer primary key autoincrement,
    kind text not null,
    task text not null,
    asked_by text not null,
    asked_at integer not null,
    done_at integer,
    answer text
  ) strict;
  create index request_pending on request (id) where done_at is null;

  create table control (key text primary key, value text not null) strict, without rowid;
  `,
  `
  alter table run add column evidence text;  -- JSON: what of its files was seen and must not change, hashed
  alter table lane add column cap integer;
  create table context_window (
    coder text not null,
    model text not null,
    tokens integer not null,
    primary key (coder, model)
  ) strict, without rowid;
  `,
  `
  alter table task_state drop column waiting_since;
  alter table task_state add column waited_ms integer not null default 0;
  `,
  // Until here the kind of a wait, and of a request's end, could only be told from their texts.
  `
  alter table task_state add column waiting_kind text;
  update task_state set waiting_kind = case
      when json_valid(last_outcome) and waiting = json_extract(last_outcome, '$.text') then 'refused'
      when waiting_until is not null then 'retry'
      else 'paused' end
    where waiting is not null;
  alter table request add column ending text;
  update request set ending = case when answer like 'withdrawn:%' then 'withdrawn' else 'done' end
    where done_at is not null;
  `,
  `
  create table refused_model (
    lane text not null,
    model text not null,                     -- '': the coder's own choice
    reason text not null,
    since integer not null,
    trial_from integer,                      -- null: no trial run may start
    primary key (lane, model)
  ) strict, without rowid;
  `,
  // bd's configuration, key-value pairs and memories.
  `
  create table queue_value (key text primary key, value text not null) strict, without rowid;
  `,
  // Not in the table of runs: its rows are written every second.
  `
  create table run_record (
    seq integer primary key,                 -- of the run
    launch text,                             -- launch.json, unless it is very long
    receipt text,
    letters text                             -- JSON
  ) strict;
  `,
  // The home's files that fleet takes in, as a person left them; when agents could write them; what was found changed.
  `
  create table accepted_file (path text primary key, content text) strict;
  create table exposure (id integer primary key, since integer not null, until integer) strict;
  create table changed_file (
    id integer primary key,
    path text not null,
    mark text not null,                      -- tells one content from another
    noticed_at integer not null,
    runs text not null,                      -- JSON: the runs that were open when it was made or noticed
    decided text                             -- null: a person has yet to decide
  ) strict;
  create unique index changed_file_pending on changed_file (path) where decided is null;
  `,
  // People's decisions about the work of runs.
  `
  create table review (
    seq integer primary key,
    task text not null,
    run text not null,
    decision text not null,
    reviewer text not null,
    at integer not null,
    note text not null
  ) strict;
  create index review_task on review (task, seq);
  `,
  // Where a run works and where its task belongs are two directories.
  `
  alter table run add column project text;   -- null: an older fleet, and the same as cwd
  create table worktree (
    task text primary key,
    repository text not null,
    folder text not null,
    path text not null,
    branch text not null,
    base text not null,
    target text,                             -- null: HEAD was detached
    state text not null,
    made_at integer not null
  ) strict, without rowid;
  `,
  // The processes of verifications.
  `
  create table verify_process (
    seq integer primary key,
    id text not null unique,
    subject text not null,                   -- the run or the landing whose tree is verified
    name text not null,
    command text not null,
    round integer not null,
    folder text not null,
    cwd text not null,
    started_at integer not null,
    pid integer,                             -- these three together or none
    start_time text,
    boot_id text,
    done text                                -- JSON; null: it runs, or its end was not seen
  ) strict;
  create index verify_process_subject on verify_process (subject, seq);
  create table verified_tree (
    key text primary key,                    -- of tree, commands and environment
    at integer not null
  ) strict, without rowid;
  `,
  `
  create index task_state_outcome on task_state (last_outcome ->> '$.code');
  `,
  // The landing queue.
  `
  create table landing (
    task text primary key,
    queued_at integer not null,
    is_over integer not null,
    landing text not null                    -- JSON: read and written whole
  ) strict, without rowid;
  create index landing_open on landing (queued_at, task) where is_over = 0;
  create table trusted_programs (
    repository text primary key,
    fingerprint text not null,
    changed_by text
  ) strict, without rowid;
  `,
  // The files of a worktree that changed since may be work of its agents.
  `
  alter table worktree add column ready_at integer;   -- null: no agent has worked there
  update worktree set ready_at = made_at where state = 'ready';
  `,
  // Landings whose programs may be running. Agents have written some of these programs.
  `
  create table landing_under_way (task text primary key, run text not null) strict, without rowid;
  `,
  // The changes of a worktree's setup are no work of its agents.
  `
  alter table worktree add column set_up text;        -- JSON; null: nothing is known
  `,
  // People are told which programs of a repository were changed.
  `
  alter table trusted_programs add column parts text;   -- JSON; null: not known
  alter table trusted_programs add column found text;   -- JSON; null: nothing was changed
  `,
  // The messages of people for agents: comments, and whether an agent was told.
  `
  create table message (
    id integer primary key,
    task text not null,
    comment text not null,
    sender text not null,
    at integer not null,
    text text not null,
    run text,                                -- the run whose agent was told; these three together or none
    how text,
    delivered_at integer,
    before text,                             -- the tool that it was about to use
    unique (task, comment)
  ) strict;
  create index message_waiting on message (id) where delivered_at is null;
  `,
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** 'flet' in ASCII: distinguishes a fleet store from other SQLite files. */
export const APPLICATION_ID = 0x666c6574
