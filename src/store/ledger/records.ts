import type { Receipt } from '../../domain/run/receipt.ts'
import type { KeptLetter, RunRecords } from '../../domain/run/run.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { parsed } from './rows.ts'

/** The records of runs that the store keeps itself, beside their copies in the runs' folders (docs/adr/0019). */

/** A longer launch record is kept as its hash alone: it lists the files of a large folder. */
const LONGEST_LAUNCH = 65_536

const KEEP = (column: 'launch' | 'receipt' | 'letters') => `
  insert into run_record (seq, ${column}) select seq, ?1 from run where id = ?2
  on conflict (seq) do update set ${column} = excluded.${column}`

export function keepLaunch(db: Database, run: string, text: string): void {
  if (text.length <= LONGEST_LAUNCH) db.sql(KEEP('launch')).run(text, run)
}

export function keepReceipt(db: Database, run: string, receipt: Receipt): void {
  db.sql(KEEP('receipt')).run(JSON.stringify(receipt), run)
}

export function keepLetters(db: Database, run: string, letters: readonly KeptLetter[]): void {
  db.sql(KEEP('letters')).run(JSON.stringify(letters), run)
}

const AMEND = `
  update run_record set receipt = ?1 where receipt is not null and seq = (select seq from run where id = ?2)`

export function amendReceipt(db: Database, run: string, receipt: Receipt): void {
  db.sql(AMEND).run(JSON.stringify(receipt), run)
}

interface RecordRow {
  readonly launch: string | null
  readonly receipt: string | null
  readonly letters: string | null
}

const RECORDS = `
  select launch, receipt, letters from run_record where seq = (select seq from run where id = ?)`

export function recordsOf(db: Database, run: string): RunRecords {
  const row = db.sql<RecordRow>(RECORDS).get(run)
  return {
    launch: row?.launch ?? undefined,
    receipt: row?.receipt == null ? undefined : parsed<Receipt>(row.receipt),
    letters: row?.letters == null ? [] : parsed<KeptLetter[]>(row.letters),
  }
}

/** Made once for each store. */
export function secretOf(db: Database): string {
  const read = () => db.sql<{ value: string }>(`select value from control where key = 'secret'`).get()?.value
  const known = db.guard(read)
  if (known !== undefined) return known
  // The global one: loading `node:crypto` costs every command 8 ms.
  const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
  return db.write(() => {
    db.sql(`insert or ignore into control (key, value) values ('secret', ?)`).run(made)
    return read() ?? made
  })
}
