import type { Database } from '../../platform/sqlite/database.ts'
import type { BdCommand } from './bd.ts'

/** A write that bd was not told yet, or that was not yet seen in what bd shows afterwards. */
export interface Owed {
  readonly seq: number
  readonly task: string
  readonly commands: readonly BdCommand[]
  /** How bd may show the task while this is on its way: before it, and between its commands. */
  readonly hands: readonly string[]
  readonly made: number
  readonly told: number | null
  readonly tries: number
}

/** Who has a task, as one text: a change of it is a change of hands. */
export function handsOf({ status, assignee }: { status: string; assignee: string }): string {
  return JSON.stringify([status, assignee])
}

/** In place of the status that was last seen: whatever bd shows next is how the task stands. */
export const FOLLOWED = '?'

export interface Debt {
  readonly task: string
  readonly commands: readonly BdCommand[]
  readonly hands: readonly string[]
}

/** In the transaction of the change itself, so that a process that dies leaves its debt to the next. */
export function owe(db: Database, { task, commands, hands }: Debt, now: number): number {
  const seq = db
    .sql<{ seq: number }>('insert into beads_owed (task, commands, hands, made) values (?, ?, ?, ?) returning seq')
    .get(task, JSON.stringify(commands), JSON.stringify(hands), now)?.seq
  return seq as number
}

export function owedOf(db: Database, task: string): readonly Owed[] {
  return db.sql<OwedRow>('select * from beads_owed where task = ? order by seq').all(task).map(owedFrom)
}

/** Whoever was to tell bd would have done it by now, or has died. */
const ABANDONED_MS = 90_000

/** Has to be told (again): bd was asked after it was told, and did not show it. */
export function isOverdue({ made, told }: Owed, since: number): boolean {
  return told === null ? made < since - ABANDONED_MS : told < since
}

export function told(db: Database, seq: number, at: number): void {
  db.sql('update beads_owed set told = ?, tries = tries + 1 where seq = ?').run(at, seq)
}

/** bd could not be told: for whoever looks next. */
export function abandon(db: Database, task: string): void {
  db.sql('update beads_owed set made = 0 where task = ? and told is null').run(task)
}

/** Seen in what bd shows, or overtaken by somebody. */
export function acquit(db: Database, task: string): void {
  db.sql('delete from beads_owed where task = ?').run(task)
}

interface OwedRow extends Omit<Owed, 'commands' | 'hands'> {
  commands: string
  hands: string
}

function owedFrom(row: OwedRow): Owed {
  return { ...row, commands: JSON.parse(row.commands), hands: JSON.parse(row.hands) }
}
