import type { Sql } from '../../platform/postgres/postgres.ts'
import type { CountGroup, ListedTask, Stats } from '../../ports/task-store.ts'
import { type ListedRow, listedOf } from '../row.ts'
import { unsettled } from '../terms.ts'
import { LISTED_COLUMNS } from './columns.ts'
import type { Where } from './filter.ts'
import { heldUpBy } from './readiness.ts'

export async function countTasks(sql: Sql, where: Where): Promise<number> {
  const [row] = await sql.once<{ n: number }>(`select count(*) as n from task where ${where.sql}`, where.args)
  return row?.n ?? 0
}

const GROUPS: Record<CountGroup, { column: string; from: string }> = {
  status: { column: 'task.status', from: 'task' },
  priority: { column: `'P' || task.priority`, from: 'task' },
  type: { column: 'task.issue_type', from: 'task' },
  assignee: { column: `case task.assignee when '' then '(unassigned)' else task.assignee end`, from: 'task' },
  label: { column: `coalesce(label.label, '(no labels)')`, from: 'task left join label on label.task = task.id' },
}

export async function countByGroup(
  sql: Sql,
  where: Where,
  by: CountGroup,
): Promise<{ group: string; count: number }[]> {
  const { column, from } = GROUPS[by]
  return await sql.once(
    `select ${column} as "group", count(*) as count from ${from} where ${where.sql} group by 1 order by 1`,
    where.args,
  )
}

const STATS = `
  select count(*) as total_issues,
    count(*) filter (where status = 'open') as open_issues,
    count(*) filter (where status = 'in_progress') as in_progress_issues,
    count(*) filter (where status = 'closed') as closed_issues,
    count(*) filter (where is_blocked = 1 and ${unsettled('task')}) as blocked_issues,
    count(*) filter (where status = 'deferred') as deferred_issues,
    count(*) filter (where pinned = 1 or status = 'pinned') as pinned_issues,
    (select count(*) from task e where e.issue_type = 'epic' and e.status <> 'closed'
      and exists (select 1 from dependency d where d.depends_on_id = e.id and d.type = 'parent-child')
      and not exists (select 1 from dependency d join task k on k.id = d.issue_id
        where d.depends_on_id = e.id and d.type = 'parent-child' and k.status <> 'closed')) as epics_eligible_for_closure,
    coalesce(avg(extract(epoch from closed_at::timestamptz - created_at::timestamptz) / 3600)
      filter (where closed_at is not null), 0)::float8 as average_lead_time_hours
  from task`

export async function statsOf(sql: Sql, ready: Where): Promise<Stats> {
  const [stats] = await sql.rows<Omit<Stats, 'ready_issues'>>(STATS)
  return { ...(stats as Omit<Stats, 'ready_issues'>), ready_issues: await countTasks(sql, ready) }
}

/** Tasks held up by dependencies, not those with the status `blocked`. By priority, then newest first, as bd lists them. */
export async function blockedTasks(
  sql: Sql,
  where: Where,
): Promise<{ task: ListedTask; blockedBy: readonly string[] }[]> {
  const rows = await sql.once<ListedRow>(
    `select ${LISTED_COLUMNS} from task where is_blocked = 1 and ${unsettled('task')} and ${where.sql}
     order by priority, created_at desc, seq desc`,
    where.args,
  )
  const holders = await heldUpBy(
    sql,
    rows.map((row) => row.id),
  )
  return rows.map((row) => ({ task: listedOf(row), blockedBy: holders.get(row.id) ?? [] }))
}
