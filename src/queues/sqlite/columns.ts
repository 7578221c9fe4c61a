import { FIELDS } from '../row.ts'

/** Labels as a JSON column, which saves a second query. */
const LABELS = `(select json_group_array(l.label order by l.label) from label l where l.task = task.id) as labels`

export const TASK_COLUMNS = `${FIELDS.map((field) => `task.${field}`).join(', ')}, ${LABELS}`

export const LISTED_COLUMNS = `${TASK_COLUMNS},
  (select count(*) from dependency d where d.issue_id = task.id and d.type = 'blocks') as dependency_count,
  (select count(*) from dependency d where d.depends_on_id = task.id and d.type = 'blocks') as dependent_count,
  (select count(*) from comment c where c.issue_id = task.id) as comment_count,
  coalesce((select d.depends_on_id from dependency d where d.issue_id = task.id and d.type = 'parent-child' limit 1), '') as parent,
  (select json_group_array(json_object('issue_id', d.issue_id, 'depends_on_id', d.depends_on_id, 'type', d.type, 'created_at', d.created_at,
    'created_by', d.created_by, 'metadata', d.metadata, 'thread_id', d.thread_id) order by d.created_at, d.depends_on_id)
    from dependency d where d.issue_id = task.id) as dependencies`
