import { isHolding } from '../../../domain/task/dependency.ts'
import { cycles, type Edge } from '../../../domain/task/graph.ts'
import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { issueJson } from '../../../views/json/issue.ts'
import type { BdCall, BdCommand } from '../command.ts'

/** fleet refuses cycles, so this finds only those that another program wrote into the store. */
export const depCycles: BdCommand = {
  name: 'cycles',
  summary: 'Detect dependency cycles',
  usage: '[flags]',
  flags: [],
  reads: true,
  async run(call) {
    const found = await findCycles(call)
    const tasks = new Map<string, Task>()
    for await (const task of call.store.find({ ids: found.flat() })) tasks.set(task.id, task)
    if (call.json) return call.answer(found.map((cycle) => cycleJson(cycle, tasks)))
    if (found.length === 0) return call.print('\n✓ No dependency cycles detected\n')
    call.print(`\n⚠ Found ${found.length} dependency cycles:\n`)
    found.forEach((cycle, i) => {
      call.print(`${i + 1}. Cycle involving:`)
      for (const id of cycle)
        call.print(`   - ${id}: ${plainLine(tasks.get(id)?.title ?? '(no record in this database)')}`)
      call.print('')
    })
  },
}

export async function findCycles(call: BdCall): Promise<readonly (readonly string[])[]> {
  return cycles(await blocks(call))
}

const AT_ONCE = 1000

async function blocks(call: BdCall): Promise<Edge[]> {
  const edges: Edge[] = []
  const take = async (ids: readonly string[]): Promise<void> => {
    for (const edge of await call.store.edges(ids, 'down')) {
      if (isHolding(edge.type)) edges.push({ from: edge.issue_id, to: edge.depends_on_id })
    }
  }
  let ids: string[] = []
  for await (const task of call.store.find({ sort: 'id' })) {
    if (ids.push(task.id) < AT_ONCE) continue
    await take(ids)
    ids = []
  }
  await take(ids)
  return edges
}

function cycleJson(cycle: readonly string[], tasks: ReadonlyMap<string, Task>): Record<string, unknown> {
  const members = cycle.map((id) => {
    const task = tasks.get(id)
    return task === undefined ? { id } : { id, issue: issueJson(task) }
  })
  return { members, partial: members.some((member) => member.issue === undefined) }
}
