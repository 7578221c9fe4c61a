import { HOLDING_TYPES, SCHEDULING_TYPES } from '../../domain/task/dependency.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import type { NewDependency } from '../../ports/queue.ts'
import { anySuspicion, type EdgeRefusal, edgeRefusal } from '../edge-rules.ts'
import { listed } from '../terms.ts'

/** The part of the graph needed to judge one edge, in one query: which of its tasks exist, and the edges above and before them. */
const AROUND = `
  with recursive
    above (id) as (
      select unnest(array[$1::text, $2::text]) collate "C" where $5::boolean
      union select depends_on_id from dependency join above on issue_id = id and type = 'parent-child'
    ),
    over (id) as (
      select $2::text collate "C" where $5::boolean
      union select depends_on_id from dependency join over on issue_id = id and type = 'parent-child'
    ),
    below (id) as (
      select $1::text collate "C" where $3::boolean
      union select issue_id from dependency join below on depends_on_id = id and type = 'parent-child'
    ),
    before (id) as (
      select $2::text collate "C" where $4::boolean
      union select depends_on_id from dependency join before on issue_id = id and type in (${listed(SCHEDULING_TYPES)})
    )
  select 'task' as what, id as a, '' as b from task where id in ($1, $2)
  union all
  select 'parent', issue_id, depends_on_id from dependency join above on issue_id = id where type = 'parent-child'
  union all
  (select 'waits', issue_id, depends_on_id from dependency join below on issue_id = below.id
    where type in (${listed(HOLDING_TYPES)}) and depends_on_id in (select id from over)
    order by issue_id, depends_on_id limit 1)
  union all
  select 'before', issue_id, depends_on_id from dependency join before on issue_id = id
    where type in (${listed(SCHEDULING_TYPES)}) and exists (select 1 from before where id = $1)
  order by 1, 2, 3`

/** Why the stored graph does not allow this edge. */
export async function edgeRefusalIn(
  sql: Sql,
  edge: NewDependency,
  suspicion = anySuspicion(edge),
): Promise<EdgeRefusal | undefined> {
  const { issue_id: id, depends_on_id: on } = edge
  const isParent = edge.type === 'parent-child'
  const rows = await sql.rows<{ what: string; a: string; b: string }>(AROUND, [
    ...[id, on, isParent && suspicion.kin, suspicion.cycle, suspicion.kin],
  ])
  const tasks = new Set(rows.flatMap(({ what, a }) => (what === 'task' ? [a] : [])))
  const [waits] = rows.filter(({ what }) => what === 'waits')
  const parents = targets(rows.filter(({ what }) => what === 'parent'))
  const scheduling = targets(rows.filter(({ what }) => what === 'before'))
  return edgeRefusal(
    edge,
    {
      has: (each) => tasks.has(each),
      parents: (each) => parents.get(each) ?? [],
      schedulingTargets: (each) => scheduling.get(each) ?? [],
      waitsForAbove: () => (waits === undefined ? undefined : { task: waits.a, ancestor: waits.b }),
    },
    suspicion,
  )
}

function targets(edges: readonly { a: string; b: string }[]): ReadonlyMap<string, string[]> {
  const byTask = new Map<string, string[]>()
  for (const { a, b } of edges) {
    const list = byTask.get(a)
    if (list === undefined) byTask.set(a, [b])
    else list.push(b)
  }
  return byTask
}
