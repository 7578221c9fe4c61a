import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import type { TaskStore } from '../../../ports/task-store.ts'
import { issueJson } from '../../../views/json/issue.ts'
import type { BdCall, BdCommand } from '../command.ts'

export interface EpicProgress {
  readonly epic: Task
  readonly total: number
  readonly closed: number
  /** All its children are closed. */
  readonly eligible: boolean
}

export const epicStatus: BdCommand = {
  name: 'status',
  summary: 'Show epic completion status',
  usage: '[flags]',
  about: 'Show how many children of each open epic are closed. Epics without children are left out.',
  flags: [{ name: 'eligible-only', kind: 'switch', help: 'Show only epics eligible for closure' }],
  reads: true,
  async run(call) {
    const epics = await openEpics(call.store)
    const shown = call.flags.on('eligible-only') ? epics.filter((each) => each.eligible) : epics
    if (call.json) call.answer(shown.map(progressJson))
    else print(call, shown)
  },
}

/** Every open epic that has children, by id. */
export async function openEpics(store: TaskStore): Promise<EpicProgress[]> {
  const epics: Task[] = []
  for await (const task of store.find({ types: ['epic'], notStatuses: ['closed'], sort: 'id' })) epics.push(task)
  const edges = (
    await store.edges(
      epics.map((epic) => epic.id),
      'up',
    )
  ).filter((edge) => edge.type === 'parent-child')
  const closed = new Set<string>()
  const below = { ids: edges.map((edge) => edge.issue_id), statuses: ['closed'] }
  for await (const { id } of store.find(below)) closed.add(id)
  return epics.flatMap((epic) => {
    const children = edges.filter((edge) => edge.depends_on_id === epic.id)
    const done = children.filter((edge) => closed.has(edge.issue_id)).length
    if (children.length === 0) return []
    return [{ epic, total: children.length, closed: done, eligible: done === children.length }]
  })
}

export function progressJson({ epic, total, closed, eligible }: EpicProgress): Record<string, unknown> {
  return { epic: issueJson(epic), total_children: total, closed_children: closed, eligible_for_close: eligible }
}

function print(call: BdCall, epics: readonly EpicProgress[]): void {
  if (epics.length === 0) {
    call.print('No open epics found')
    return
  }
  for (const { epic, total, closed, eligible } of epics) {
    call.print(`${eligible ? '✓' : '○'} ${epic.id} ${plainLine(epic.title)}`)
    call.print(`   Progress: ${closed}/${total} children closed (${Math.floor((closed * 100) / total)}%)`)
    if (eligible) call.print('   Eligible for closure')
    call.print('')
  }
}
