import type { Review } from '../../domain/run/review.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { ReviewRecords } from '../../ports/review-records.ts'
import { amendEnd } from './runs.ts'

const COLUMNS = 'task, run, decision, reviewer as "by", at, note'

export function reviewRecords(db: Database): ReviewRecords {
  return {
    add({ task, run, decision, by, at, note }) {
      const sql = 'insert into review (task, run, decision, reviewer, at, note) values (?, ?, ?, ?, ?, ?)'
      db.write(() => db.sql(sql).run(task, run, decision, by, at, note))
    },
    remove({ run, decision, by, at }) {
      const sql = 'delete from review where run = ? and decision = ? and reviewer = ? and at = ?'
      db.write(() => db.sql(sql).run(run, decision, by, at))
    },
    amendEnd: (run, end) => db.write(() => amendEnd(db, run, end)),
    of: (task) => db.guard(() => db.sql<Review>(`select ${COLUMNS} from review where task = ? order by seq`).all(task)),
  }
}
