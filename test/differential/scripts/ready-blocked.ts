import { type Script, step } from '../harness.ts'

const created = 'create prints one line with what fleet recorded'

const TASKS = [
  step('create "Base" -p 1 -l ui -e 30', { save: 'base', differs: created }),
  step('create "Next" -p 2 --deps {base}', { save: 'next', differs: created }),
  step(`create "Mine" -p 3 -a bob --metadata '{"team":"web"}'`, { save: 'mine', differs: created }),
  step('create "Later" -p 0 --defer +5d', { save: 'later', differs: created }),
  step('create "Family" -t feature -p 4', { save: 'family', differs: created }),
  step('create "Child" -p 0 -t bug --parent {family} -l ui', { save: 'child', differs: created }),
]

export const scripts: readonly Script[] = [
  {
    name: 'ready lists what can start, in order',
    steps: [
      step('ready'),
      step('ready --json'),
      ...TASKS,
      step('ready'),
      step('ready --plain'),
      step('ready --json'),
      step('ready -n 2'),
      step('ready --limit 2 --json'),
      step('ready --limit 2 --json --brief', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('ready --include-deferred'),
      step('ready --sort hybrid --plain'),
    ],
  },
  {
    name: 'ready filters',
    steps: [
      ...TASKS,
      step('ready -p 1'),
      step('ready --assignee bob'),
      step('ready --unassigned'),
      step('ready --type bug'),
      step('ready --exclude-type bug,feature'),
      step('ready --label ui --exclude-label none'),
      step('ready --label-any ui,other'),
      step('ready --parent {family}'),
      step('ready --metadata-field team=web'),
      step('ready --has-metadata-key nothing'),
      step('ready --parent nope --json'),
    ],
  },
  {
    name: 'ready --claim takes one, and says so when there is none',
    steps: [
      ...TASKS,
      step('ready --claim --label nothing'),
      step('ready --claim --label nothing --json'),
      step('ready --claim --label ui'),
      step('ready --claim --label ui --json'),
      step('ready --claim --label ui --json'),
      step('ready --claim --assignee bob'),
      step('ready --claim --brief --json'),
      step('ready --brief'),
      step('ready --sort bogus'),
      step('ready --sort bogus --json'),
      step('ready --metadata-field bogus --json'),
    ],
  },
  {
    name: 'an epic is not work',
    steps: [
      step('create "Group" -t epic', { save: 'group', differs: created }),
      step('ready', { differs: 'bd hands out epics as work; fleet does not' }),
      step('ready --type epic'),
    ],
  },
  {
    name: 'blocked lists what waits, and for what',
    steps: [
      step('blocked'),
      step('blocked --json'),
      ...TASKS,
      step('dep add {family} {mine}'),
      step('blocked'),
      step('blocked --json'),
      step('blocked --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('blocked --parent {family}'),
      step('blocked --label ui --json'),
      step('close {base} --reason done'),
      step('blocked --exclude-label ui'),
    ],
  },
]
