import type { Landing } from '../../domain/landing/landing.ts'
import type { TrustedPrograms } from '../../domain/landing/trust.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { LandingRecords } from '../../ports/landing-records.ts'

/** The landing queue, as rows of the store. `committed`: called after a write that a supervisor should react to. */
export function landingRecords(db: Database, committed: () => void): LandingRecords {
  return {
    of(task) {
      const row = db.guard(() => db.sql<Row>('select landing from landing where task = ?').get(task))
      return row === undefined ? undefined : landingOf(row)
    },
    open: () =>
      db.guard(() =>
        db.sql<Row>('select landing from landing where is_over = 0 order by queued_at, task').all().map(landingOf),
      ),
    save(landing) {
      db.write(() =>
        db
          .sql('insert or replace into landing (task, queued_at, is_over, landing) values (?, ?, ?, ?)')
          .run(landing.task, landing.queuedAt, landing.state.at === 'over' ? 1 : 0, JSON.stringify(landing)),
      )
      committed()
    },
    trusted(repository) {
      const sql = 'select fingerprint, changed_by as changedBy from trusted_programs where repository = ?'
      return db.guard(() => db.sql<TrustedPrograms>(sql).get(repository))
    },
    trust(repository, { fingerprint, changedBy }) {
      const sql = 'insert or replace into trusted_programs (repository, fingerprint, changed_by) values (?, ?, ?)'
      db.write(() => db.sql(sql).run(repository, fingerprint, changedBy))
    },
  }
}

interface Row {
  landing: string
}

function landingOf({ landing }: Row): Landing {
  return JSON.parse(landing) as Landing
}
