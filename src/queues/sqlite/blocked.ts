import type { Database } from '../../platform/sqlite/database.ts'
import type { ListedTask } from '../../ports/task-store.ts'
import { type ListedRow, listedOf } from '../row.ts'
import { unsettled } from '../terms.ts'
import { LISTED_COLUMNS } from './columns.ts'
import type { Where } from './filter.ts'
import { heldUpBy } from './readiness.ts'

/** Tasks held up by dependencies, not those with the status `blocked`. By priority, then newest first, as bd lists them. */
export function blockedTasks(db: Database, where: Where): { task: ListedTask; blockedBy: readonly string[] }[] {
  return db
    .once<ListedRow>(
      `select ${LISTED_COLUMNS} from task where is_blocked = 1 and ${unsettled('task')} and ${where.sql}
       order by priority, created_at desc, seq desc`,
    )
    .all(...where.args)
    .map((row) => ({ task: listedOf(row), blockedBy: heldUpBy(db, row.id) }))
}
