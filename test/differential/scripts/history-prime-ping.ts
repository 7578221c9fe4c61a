import { type Script, step } from '../harness.ts'
import { tasks } from './dep.ts'

const one = tasks({ id: 'fleet-aaa', title: 'Task A' }, { id: 'fleet-aab', title: 'Task B' })

const COMMITS =
  'bd tells the commits of its Dolt database; fleet the changes it recorded, each with what the task then was'
const PRIME = 'the words are fleet’s own: its commands, and none for git or Dolt'

export const scripts: readonly Script[] = [
  {
    name: 'the history of a task',
    steps: [
      step('import -', { stdin: one }),
      step('update fleet-aaa --title "Task AA" -p 0'),
      step('note fleet-aaa hello'),
      step('label add fleet-aaa ui'),
      step('dep add fleet-aaa fleet-aab'),
      step('comment fleet-aaa hi'),
      step('close fleet-aab -r done'),
      step('reopen fleet-aab -r again'),
      step('history fleet-aaa', { differs: COMMITS }),
      step('history fleet-aab --json --limit 2', { differs: COMMITS }),
      step('history zzzzzzzz'),
      step('history zzzzzzzz --json'),
      step('history zzzzzzzz --events'),
      step('history zzzzzzzz --events --json'),
      step('history fleet-aa'),
      step('history fleet-aa --json'),
      step('history'),
      step('history a b'),
    ],
  },
  {
    name: 'ping and prime',
    steps: [
      step('ping'),
      step('ping --json'),
      step('ping --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('prime --memories-only', { differs: PRIME }),
    ],
  },
]
