import type { Database } from '../../platform/sqlite/database.ts'
import type { ListedTask } from '../../ports/task-store.ts'
import { type ListedRow, listedOf } from '../row.ts'
import { unsettled } from '../terms.ts'
import { LISTED_COLUMNS } from './columns.ts'
import type { Where } from './filter.ts'
import { heldUpBy } from './readiness.ts'

/** What is held up by dependencies; the hand-set status `blocked` is another thing. Priority, then newest, as bd lists it. */
export function blockedTasks(db: Database, where: Where): { task: ListedTask; blockedBy: readonly string[] }[] {
  return db
    .once<ListedRow>(
      `select ${LISTED_COLUMNS} from task where is_blocked = 1 and ${unsettled('task')} and ${where.sql}
       order by priority, created_at desc, seq desc`,
    )
    .all(...where.args)
    .map((row) => ({ task: listedOf(row), blockedBy: heldUpBy(db, row.id) }))
}
