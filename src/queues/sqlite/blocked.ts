import type { Database } from '../../platform/sqlite.ts'
import type { ListedTask } from '../../ports/task-store.ts'
import type { Where } from './filter.ts'
import { LISTED_COLUMNS, type ListedRow, listedOf } from './row.ts'

/** What is held up by dependencies; the hand-set status `blocked` is another thing. Priority, then newest, as bd lists it. */
export function blockedTasks(db: Database, where: Where): { task: ListedTask; blockedBy: readonly string[] }[] {
  return db
    .once<ListedRow>(
      `select ${LISTED_COLUMNS} from task where is_blocked = 1 and status not in ('closed', 'pinned') and ${where.sql}
       order by priority, created_at desc, seq desc`,
    )
    .all(...where.args)
    .map((row) => ({ task: listedOf(row), blockedBy: heldUpBy(db, row.id) }))
}

/** Its own open blockers; a parent only where there are none, because then the block comes down from there. */
function heldUpBy(db: Database, id: string): string[] {
  const rows = db
    .sql<{ id: string; type: string }>(
      `select d.depends_on_id as id, d.type from dependency d join task b on b.id = d.depends_on_id
       where d.issue_id = ? and ((d.type in ('blocks', 'conditional-blocks', 'waits-for') and b.status not in ('closed', 'pinned'))
         or (d.type = 'parent-child' and b.is_blocked = 1))
       order by d.created_at, d.depends_on_id`,
    )
    .all(id)
  const own = rows.filter((row) => row.type !== 'parent-child')
  return (own.length > 0 ? own : rows).map((row) => row.id)
}
