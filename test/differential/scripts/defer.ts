import { type Script, step } from '../harness.ts'
import { tasks } from './dep.ts'

const some = tasks(
  { id: 'fleet-aaa', title: 'Task A', notes: 'first' },
  { id: 'fleet-bbb', title: 'Task B', status: 'in_progress', assignee: 'tester' },
  { id: 'fleet-ccc', title: 'Task C' },
  { id: 'fleet-ddd', title: 'Task D', status: 'closed', closed_at: '2026-03-01T11:00:00Z', close_reason: 'done' },
)

export const scripts: readonly Script[] = [
  {
    name: 'tasks are put off and taken up again',
    steps: [
      step('import -', { stdin: some }),
      step('defer fleet-aaa'),
      step('defer bbb ccc --until tomorrow --reason " waiting for access "'),
      step('defer fleet-aaa --until +6h --reason later --json'),
      step('ready'),
      step('list --deferred --flat'),
      step('undefer fleet-aaa'),
      step('undefer fleet-aaa'),
      step('undefer fleet-bbb fleet-aaa ccc --json'),
      step('undefer fleet-aaa --json'),
      step('defer fleet-ccc --until 2020-01-02'),
      step('defer fleet-ccc --until 2020-01-02 --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('ready --json'),
      step('defer fleet-ddd'),
      step('show fleet-ddd --json'),
      step('undefer fleet-ddd'),
      step('export', {
        differs: 'that a date has come is written down by the next claim, not by a command that only reads',
      }),
    ],
  },
  {
    name: 'what cannot be put off is refused',
    steps: [
      step('import -', { stdin: some }),
      step('defer'),
      step('defer zzzzzzzz'),
      step('defer zzzzzzzz --json'),
      step('defer fleet-aaa zzzzzzzz'),
      step('defer fleet-aaa --until someday'),
      step('defer fleet-aaa --until someday --json'),
      step('defer fleet-aaa --until ""'),
      step('defer fleet-aaa --reason ""'),
      step('defer fleet-aaa --reason " " --json'),
      step('defer fleet-aaa --readonly'),
      step('undefer'),
      step('undefer zzzzzzzz'),
      step('undefer fleet-aaa zzzzzzzz --json'),
      step('undefer fleet-bbb'),
      step('undefer fleet-aaa --readonly'),
      step('export'),
    ],
  },
]
