import { type Script, step } from '../harness.ts'
import { tasks } from './dep.ts'

const three = tasks(
  { id: 'fleet-aaa', title: 'Task A', notes: 'first' },
  { id: 'fleet-bbb', title: 'Task B', status: 'in_progress', assignee: 'bob' },
  { id: 'fleet-ccc', title: 'A template', is_template: true },
)

export const scripts: readonly Script[] = [
  {
    name: 'notes are added below what stands there',
    steps: [
      step('import -', { stdin: three }),
      step('note fleet-aaa Fixed the flaky test'),
      step('note aaa "with <b> & quotes" --json'),
      step('note fleet-bbb --stdin', { stdin: 'from\nstdin\n\n' }),
      step('note fleet-bbb --file note.txt --json', {
        files: { 'note.txt': 'from a file\n' },
        env: { BD_JSON_ENVELOPE: '1' },
      }),
      step('note'),
      step('note fleet-aaa'),
      step('note fleet-aaa ""'),
      step('note fleet-aaa "  " --json'),
      step('note zzzzzzzz hi'),
      step('note zzzzzzzz hi --json'),
      step('note fleet-ccc hi', { differs: 'bd recommends a command or a flag that fleet does not serve' }),
      step('note fleet-aaa --file missing.txt'),
      step('note fleet-aaa --file note.txt hi'),
      step('note fleet-aaa --file note.txt --stdin'),
      step('note fleet-aaa hi --readonly'),
      step('note list'),
      step('note add fleet-aaa hi'),
      step('note show fleet-aaa --json'),
      step('note edit fleet-aaa'),
      step('note rm fleet-aaa'),
      step('note delete fleet-aaa'),
      step('note update fleet-aaa hi'),
      step('export'),
    ],
  },
  {
    name: 'a task is assigned and unassigned',
    steps: [
      step('import -', { stdin: three }),
      step('assign fleet-aaa alice'),
      step('assign aaa carol --json'),
      step('assign fleet-aaa ""'),
      step('assign fleet-aaa "" --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('assign fleet-bbb alice', { differs: 'bd recommends a command or a flag that fleet does not serve' }),
      step('assign fleet-bbb alice --json', { differs: 'bd recommends a command or a flag that fleet does not serve' }),
      step('assign fleet-bbb bob'),
      step('assign fleet-bbb alice --force'),
      step('assign fleet-bbb dave --actor alice'),
      step('assign fleet-ccc alice', { differs: 'bd recommends a command or a flag that fleet does not serve' }),
      step('assign zzzzzzzz alice'),
      step('assign zzzzzzzz alice --json'),
      step('assign fleet-aaa'),
      step('assign fleet-aaa alice bob --json'),
      step('assign fleet-aaa alice --readonly'),
      step('export'),
    ],
  },
]
