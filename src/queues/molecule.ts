/** The reason with which a molecule is closed when its last step is; bd's words. */
export const ALL_STEPS_DONE = 'all steps complete'

/** bd follows parents no further than this. */
const DEPTH = 50

/**
 * The open molecule at the top of a task's parents, if every task below it is closed. `id`: the placeholder of the task, in
 * the store's own SQL.
 */
export function completedMolecule(id: string): string {
  return `
  with recursive above(id, depth) as (
    select ${id}, 0
    union select d.depends_on_id, above.depth + 1 from dependency d join above on d.issue_id = above.id
      where d.type = 'parent-child' and above.depth < ${DEPTH}),
  below(id) as (
    select d.issue_id from dependency d join above on d.depends_on_id = above.id
      where d.type = 'parent-child' and not exists (
        select 1 from dependency p where p.issue_id = above.id and p.type = 'parent-child')
    union select d.issue_id from dependency d join below on d.depends_on_id = below.id where d.type = 'parent-child')
  select task.id from task join above on above.id = task.id
  where above.depth > 0 and task.issue_type = 'molecule' and task.status <> 'closed'
    and not exists (select 1 from dependency p where p.issue_id = task.id and p.type = 'parent-child')
    and not exists (select 1 from task step join below on below.id = step.id where step.status <> 'closed')`
}
