import type { Database } from '../../platform/sqlite/database.ts'
import type { CountGroup, Stats } from '../../ports/task-store.ts'
import { unsettled } from '../terms.ts'
import type { Where } from './filter.ts'

export function countTasks(db: Database, where: Where): number {
  return db.once<{ n: number }>(`select count(*) as n from task where ${where.sql}`).get(...where.args)?.n ?? 0
}

const GROUPS: Record<CountGroup, { column: string; from: string }> = {
  status: { column: 'task.status', from: 'task' },
  priority: { column: `'P' || task.priority`, from: 'task' },
  type: { column: 'task.issue_type', from: 'task' },
  assignee: { column: `case task.assignee when '' then '(unassigned)' else task.assignee end`, from: 'task' },
  label: { column: `coalesce(label.label, '(no labels)')`, from: 'task left join label on label.task = task.id' },
}

export function countByGroup(db: Database, where: Where, by: CountGroup): { group: string; count: number }[] {
  const { column, from } = GROUPS[by]
  return db
    .once<{ group: string; count: number }>(
      `select ${column} as "group", count(*) as count from ${from} where ${where.sql} group by 1 order by 1`,
    )
    .all(...where.args)
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
    coalesce(avg((julianday(closed_at) - julianday(created_at)) * 24) filter (where closed_at is not null), 0) as average_lead_time_hours
  from task`

export function statsOf(db: Database, ready: Where): Stats {
  const stats = db.sql<Omit<Stats, 'ready_issues'>>(STATS).get() as Omit<Stats, 'ready_issues'>
  return { ...stats, ready_issues: countTasks(db, ready) }
}
