import type { Database } from '../../platform/sqlite/database.ts'
import type { BdCommand } from './bd.ts'

/** A write that bd has not received, or that no later sync has confirmed. */
export interface OutboxEntry extends NewOutboxEntry {
  readonly seq: number
  readonly createdAt: number
  /** null: not sent. */
  readonly sentAt: number | null
  readonly tries: number
}

export interface NewOutboxEntry {
  readonly task: string
  readonly commands: readonly BdCommand[]
  /** The ownerships bd may show until it has applied this write: the one before it, and those between its commands. */
  readonly expected: readonly string[]
}

/** Status and assignee as one comparable text: when it changes, the task has another owner. */
export function ownershipOf({ status, assignee }: { status: string; assignee: string }): string {
  return JSON.stringify([status, assignee])
}

/** Stands in for the status last seen: the mirror accepts whatever the next sync shows. */
export const ACCEPT_NEXT = '?'

/** Call inside the transaction of the change, so that the next process sends what a dead one could not. */
export function enqueue(db: Database, { task, commands, expected }: NewOutboxEntry, now: number): number {
  const seq = db
    .sql<{ seq: number }>('insert into beads_owed (task, commands, hands, made) values (?, ?, ?, ?) returning seq')
    .get(task, JSON.stringify(commands), JSON.stringify(expected), now)?.seq
  return seq as number
}

export function outboxOf(db: Database, task: string): readonly OutboxEntry[] {
  return db.sql<OutboxRow>('select * from beads_owed where task = ? order by seq').all(task).map(entryFrom)
}

/** After this long, the process that recorded an entry has sent it or died. */
const ABANDONED_MS = 90_000

/** bd must receive the entry (again): it was sent before bd was read, and bd did not show it. */
export function isOverdue({ createdAt, sentAt }: OutboxEntry, since: number): boolean {
  return sentAt === null ? createdAt < since - ABANDONED_MS : sentAt < since
}

export function markSent(db: Database, seq: number, at: number): void {
  db.sql('update beads_owed set told = ?, tries = tries + 1 where seq = ?').run(at, seq)
}

/** Sending failed: the next sync, by any process, sends these entries. */
export function markOverdue(db: Database, task: string): void {
  db.sql('update beads_owed set made = 0 where task = ? and told is null').run(task)
}

/** Once bd shows the writes, or somebody else's write has overtaken them. */
export function clearOutbox(db: Database, task: string): void {
  db.sql('delete from beads_owed where task = ?').run(task)
}

interface OutboxRow {
  seq: number
  task: string
  commands: string
  hands: string
  made: number
  told: number | null
  tries: number
}

function entryFrom({ seq, task, commands, hands, made, told, tries }: OutboxRow): OutboxEntry {
  return {
    seq,
    task,
    commands: JSON.parse(commands),
    expected: JSON.parse(hands),
    createdAt: made,
    sentAt: told,
    tries,
  }
}
