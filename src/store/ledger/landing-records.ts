import { rowAfterAcceptance, rowAfterRefusal, rowBeforeAcceptance } from '../../domain/landing/accepting.ts'
import type { Landing } from '../../domain/landing/landing.ts'
import type { TrustedPrograms } from '../../domain/landing/trust.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { LandingRecords, UnderWay } from '../../ports/landing-records.ts'

/** The landing queue, as rows of the store. `committed`: called after a write that a supervisor should react to. */
export function landingRecords(db: Database, committed: () => void): LandingRecords {
  const read = (task: string): Landing | undefined => {
    const row = db.sql<Row>('select landing from landing where task = ?').get(task)
    return row === undefined ? undefined : landingOf(row)
  }
  const write = (landing: Landing): void => {
    db.sql('insert or replace into landing (task, queued_at, is_over, landing) values (?, ?, ?, ?)').run(
      landing.task,
      landing.queuedAt,
      landing.state.at === 'over' ? 1 : 0,
      JSON.stringify(landing),
    )
  }
  const change = (landing: Landing, decide: (row: Landing | undefined, landing: Landing) => Landing | undefined) => {
    db.write(() => {
      const row = read(landing.task)
      const next = decide(row, landing)
      if (next === undefined) db.sql('delete from landing where task = ?').run(landing.task)
      else if (next !== row) write(next)
    })
    committed()
  }
  return {
    of: (task) => db.guard(() => read(task)),
    open: () =>
      db.guard(() =>
        db.sql<Row>('select landing from landing where is_over = 0 order by queued_at, task').all().map(landingOf),
      ),
    landed: (limit) => db.guard(() => db.sql<Row>(LANDED).all(limit).map(landingOf)),
    save(landing) {
      db.write(() => write(landing))
      committed()
    },
    advance({ task, run }, change) {
      const advanced = db.write(() => {
        const found = read(task)
        if (found === undefined || found.run !== run || found.state.at === 'over') return undefined
        const landing = { ...found, ...change }
        write(landing)
        return landing
      })
      if (advanced !== undefined) committed()
      return advanced
    },
    accepting: (landing) => change(landing, rowBeforeAcceptance),
    accepted: (landing) => change(landing, rowAfterAcceptance),
    notAccepted: (landing) => change(landing, rowAfterRefusal),
    begin({ task, run }) {
      const sql = 'insert or replace into landing_under_way (task, run) values (?, ?)'
      db.write(() => db.sql(sql).run(task, run))
    },
    end(task) {
      db.write(() => db.sql('delete from landing_under_way where task = ?').run(task))
    },
    underWay: () => db.guard(() => db.sql<UnderWay>('select task, run from landing_under_way order by task').all()),
    trustsAny: () => db.guard(() => db.sql('select 1 from trusted_programs limit 1').get() !== undefined),
    trusted(repository) {
      const sql = 'select fingerprint, changed_by, parts, found from trusted_programs where repository = ?'
      return db.guard(() => {
        const row = db.sql<TrustedRow>(sql).get(repository)
        return row && trustedOf(row)
      })
    },
    trust(repository, { fingerprint, changedBy, parts, found }) {
      const row = [repository, fingerprint, changedBy, JSON.stringify(parts), JSON.stringify(found)]
      db.write(() => db.sql(TRUST).run(...row))
    },
  }
}

const LANDED = `
  select landing from landing
  where coalesce(landing ->> '$.state.landed', landing ->> '$.state.to', landing ->> '$.state.before.state.landed') is not null
  order by queued_at desc limit ?`

const TRUST = `
  insert or replace into trusted_programs (repository, fingerprint, changed_by, parts, found) values (?, ?, ?, ?, ?)`

interface TrustedRow {
  fingerprint: string
  changed_by: string | null
  parts: string | null
  found: string | null
}

function trustedOf({ fingerprint, changed_by: changedBy, parts, found }: TrustedRow): TrustedPrograms {
  return { fingerprint, changedBy, parts: JSON.parse(parts ?? 'null'), found: JSON.parse(found ?? 'null') }
}

interface Row {
  landing: string
}

function landingOf({ landing }: Row): Landing {
  return JSON.parse(landing) as Landing
}
