import { type Script, step } from '../harness.ts'
import { tasks } from './dep.ts'

const COUNTED =
  'fleet counts the lead time and the epics that may be closed, which bd leaves at 0, and no epic as ready'
const created = 'create prints one line with what fleet recorded'

const TASKS = [
  step('create "Search box" -p 0 -l ui,search -a bob --external-ref gh-9', { save: 'search', differs: created }),
  step('create "Cart search" -p 1 -t bug -d "It loses things"', { save: 'cart', differs: created }),
  step('create "Docs" -p 2 --deps {cart}', { save: 'docs', differs: created }),
  step('create "Old search" -p 3', { save: 'old', differs: created }),
  step('close {old} --reason done'),
]

export const scripts: readonly Script[] = [
  {
    name: 'search finds by title and id, closed ones too',
    steps: [
      ...TASKS,
      step('search search'),
      step('search SEARCH --long'),
      step('search search --json'),
      step('search search --status open --sort title --reverse'),
      step('search {cart}'),
      step('search gh-9'),
      step('search --query search --label ui'),
      step('search search -n 1 --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('search nothing like it'),
      step('search nothing --json'),
      step('search x --status bogus'),
      step('search', { differs: 'bd prints its whole help before the error' }),
    ],
  },
  {
    name: 'count',
    steps: [
      ...TASKS,
      step('count'),
      step('count --json'),
      step('count --status open'),
      step('count --status nonsense'),
      step('count --by-status'),
      step('count --by-priority --json'),
      step('count --by-type'),
      step('count --by-assignee'),
      step('count --by-label --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('count --title search --priority-max 1'),
      step('count --by-type --by-label'),
      step('count --created-after someday --json'),
    ],
  },
  {
    name: 'stats of epics and of what was closed',
    steps: [
      step('import -', {
        stdin: tasks(
          { id: 'fleet-aaa', title: 'Epic', issue_type: 'epic' },
          {
            id: 'fleet-aaa.1',
            title: 'Done',
            status: 'closed',
            closed_at: '2026-03-01T12:00:00Z',
            dependencies: [{ issue_id: 'fleet-aaa.1', depends_on_id: 'fleet-aaa', type: 'parent-child' }],
          },
        ),
      }),
      step('stats', { differs: COUNTED }),
      step('stats --json', { differs: COUNTED }),
    ],
  },
  {
    name: 'status and stats',
    steps: [
      ...TASKS,
      step('status'),
      step('stats --json'),
      step('stats --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('status --no-blocked'),
      step('status --no-blocked --json'),
      step('status --assigned --actor bob'),
      step('version', { differs: "fleet names its own version beside the language's" }),
      step('version --json', { differs: "fleet names its own version beside the language's" }),
      step('where', { differs: 'the store is another' }),
    ],
  },
]
