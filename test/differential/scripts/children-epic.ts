import { type Script, step } from '../harness.ts'
import { tasks } from './dep.ts'

const under = (id: string, parent: string) => ({
  dependencies: [{ issue_id: id, depends_on_id: parent, type: 'parent-child' }],
})
const closed = { status: 'closed', closed_at: '2026-03-01T11:00:00Z', close_reason: 'done' }

const family = tasks(
  { id: 'fleet-eee', title: 'Epic E', issue_type: 'epic', priority: 1 },
  { id: 'fleet-eee.1', title: 'Child one', ...closed, ...under('fleet-eee.1', 'fleet-eee') },
  { id: 'fleet-eee.2', title: 'Child two', labels: ['ui'], assignee: 'bob', ...under('fleet-eee.2', 'fleet-eee') },
  { id: 'fleet-eee.2.1', title: 'Grandchild', issue_type: 'bug', ...under('fleet-eee.2.1', 'fleet-eee.2') },
  { id: 'fleet-fff', title: 'Epic F', issue_type: 'epic', assignee: 'bob' },
  { id: 'fleet-fff.1', title: 'Done one', ...closed, ...under('fleet-fff.1', 'fleet-fff') },
  { id: 'fleet-fff.2', title: 'Done two', ...closed, ...under('fleet-fff.2', 'fleet-fff') },
  { id: 'fleet-ggg', title: 'Epic without children', issue_type: 'epic' },
  { id: 'fleet-hhh', title: 'Epic H', issue_type: 'epic' },
  { id: 'fleet-hhh.1', title: 'Open one', ...under('fleet-hhh.1', 'fleet-hhh') },
  { id: 'fleet-iii', title: 'Epic I', issue_type: 'epic', ...closed },
  { id: 'fleet-iii.1', title: 'Done', ...closed, ...under('fleet-iii.1', 'fleet-iii') },
)

export const scripts: readonly Script[] = [
  {
    name: 'children are listed with the closed ones',
    steps: [
      step('import -', { stdin: family }),
      step('children fleet-eee'),
      step('children eee --json', { differs: 'the beginning of an id is enough for a parent too' }),
      step('children fleet-eee --pretty'),
      step('children fleet-eee.2'),
      step('children fleet-ggg'),
      step('children fleet-ggg --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('children zzzzzzzz', { differs: 'near ids are suggested' }),
      step('children zzzzzzzz --json'),
      step('children'),
      step('children fleet-eee fleet-fff'),
    ],
  },
  {
    name: 'epics tell how far they are and are closed when all below is done',
    steps: [
      step('epic status'),
      step('epic status --json'),
      step('epic close-eligible'),
      step('epic close-eligible --json'),
      step('import -', { stdin: family }),
      step('epic status'),
      step('epic status --json'),
      step('epic status --eligible-only'),
      step('epic status --eligible-only --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('epic close-eligible --dry-run'),
      step('epic close-eligible --dry-run --json'),
      step('epic close-eligible --readonly'),
      step('epic close-eligible -r ""  --dry-run --reason " "'),
      step('epic close-eligible --reason "Shipped it"'),
      step('epic status --eligible-only'),
      step('close fleet-hhh.1'),
      step('epic close-eligible --json'),
      step('show fleet-fff --json'),
      step('export'),
    ],
  },
]
