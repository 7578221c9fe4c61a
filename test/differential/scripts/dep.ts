import { type Script, step } from '../harness.ts'

/** Tasks with fixed ids, each a second younger than the one before. */
export function tasks(...given: readonly Record<string, unknown>[]): string {
  return given
    .map((task, i) => {
      const at = `2026-03-01T10:00:${String(i).padStart(2, '0')}Z`
      return JSON.stringify({ priority: 2, created_at: at, updated_at: at, ...task })
    })
    .join('\n')
}

const four = tasks(
  { id: 'fleet-aaa', title: 'Task A' },
  { id: 'fleet-bbb', title: 'Task "B"', labels: ['x'] },
  { id: 'fleet-ccc', title: 'Task C', priority: 0 },
  { id: 'fleet-eee', title: 'Epic E', issue_type: 'epic' },
  {
    id: 'fleet-eee.1',
    title: 'Child D',
    dependencies: [{ issue_id: 'fleet-eee.1', depends_on_id: 'fleet-eee', type: 'parent-child' }],
  },
)

const ELSEWHERE =
  'fleet warns of a dependency on a task it does not keep, and refuses one whose prefix was likely mistyped'
const LISTS = 'fleet names the near ids or the cycle too'

export const scripts: readonly Script[] = [
  {
    name: 'dependencies are added once, in every way of saying it',
    steps: [
      step('import -', { stdin: four }),
      step('dep add fleet-aaa fleet-bbb'),
      step('dep add fleet-aaa fleet-bbb'),
      step('dep add aaa bbb --json'),
      step('dep add fleet-bbb --blocked-by fleet-ccc --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('dep add fleet-eee --depends-on fleet-ccc'),
      step('dep fleet-ccc --blocks fleet-aaa'),
      step('dep fleet-ccc -b fleet-aaa --json'),
      step('dep add fleet-ccc fleet-eee -t related'),
      step('dep add fleet-ccc fleet-eee.1 --type=discovered-from'),
      step('dep add fleet-eee.1 fleet-eee -t parent-child'),
      step('dep add fleet-bbb fleet-eee -t waits-for'),
      step('dep add fleet-bbb external:web:login --type blocked-by'),
      step('dep add fleet-bbb other-x1', { differs: ELSEWHERE }),
      step('dep list fleet-bbb fleet-aaa'),
      step('export'),
    ],
  },
  {
    name: 'a dependency that can never clear is refused',
    steps: [
      step('import -', { stdin: four }),
      step('dep add fleet-aaa fleet-bbb'),
      step('dep add fleet-bbb fleet-ccc'),
      step('dep add fleet-ccc fleet-aaa', { differs: LISTS }),
      step('dep add fleet-ccc fleet-aaa --json', { differs: LISTS }),
      step('dep add fleet-ccc fleet-aaa -t related'),
      step('dep add fleet-aaa fleet-aaa'),
      step('dep add fleet-eee.1 fleet-eee'),
      step('dep add fleet-eee.1 fleet-eee --json'),
      step('dep add fleet-eee.1 fleet-eee -t related'),
      step('dep add fleet-eee fleet-eee.1'),
      step('dep add fleet-aaa fleet-eee -t parent-child'),
      step('dep add fleet-aaa fleet-eee'),
      step('dep add fleet-eee fleet-bbb', { differs: LISTS }),
      step('dep list fleet-eee --direction=up'),
      step('dep cycles'),
      step('dep cycles --json'),
    ],
  },
  {
    name: 'wrong ids, types and counts of words are refused',
    steps: [
      step('import -', { stdin: four }),
      step('dep add fleet-aaa fleet-bbb'),
      step('dep add fleet-aaa fleet-bbb -t related'),
      step('dep add fleet-aaa fleet-bbb -t related --json'),
      step('dep add fleet-aaa zzzzzzzz'),
      step('dep add zzzzzzzz fleet-aaa --json'),
      step('dep add fleet-aaa ../etc', {}),
      step('dep add fleet-aaa external:web'),
      step('dep add fleet-aaa external::x'),
      step('dep add fleet-aaa fleet-ccc -t bogus'),
      step('dep add fleet-aaa fleet-ccc --type= --json'),
      step('dep add fleet-aaa'),
      step('dep add fleet-aaa fleet-bbb fleet-ccc --json'),
      step('dep add --blocked-by fleet-aaa'),
      step('dep add fleet-aaa fleet-bbb --depends-on fleet-ccc'),
      step('dep --blocks fleet-aaa'),
      step('dep zzzzzzzz --blocks fleet-aaa'),
      step('dep foo bar'),
      step('dep remove fleet-aaa'),
      step('dep remove fleet-aaa zzzzzzzz'),
      step('dep list'),
      step('dep list zzzzzzzz --json'),
      step('dep tree zzzzzzzz'),
      step('dep tree'),
    ],
  },
  {
    name: 'edges from a file are added all or not at all',
    steps: [
      step('import -', { stdin: four }),
      step('dep add --file edges.jsonl', {
        files: {
          'edges.jsonl':
            '{"from":"fleet-aaa","to":"fleet-bbb"}\n\n{"issue_id":"fleet-bbb","depends_on_id":"fleet-ccc","type":"related"}\n',
        },
      }),
      step('dep add --file - --json', { stdin: '{"from":"aaa","to":" fleet-ccc "}\n' }),
      step('dep add --file -', { stdin: '{"from":"fleet-aaa"}\n{"from":"a","to":"b","type":"zip"}\n{"to":"x"}\n' }),
      step('dep add --file - --json', {
        stdin: '{"from":"fleet-aaa","to":"zzzzzzzz"}\n{"from":"zzzzzzzz","to":"fleet-aaa"}\n',
      }),
      step('dep add --file -', { stdin: '{"from":"fleet-eee.1","to":"fleet-eee"}\n' }),
      step('dep add --file -', {
        stdin: '{"from":"fleet-ccc","to":"fleet-eee"}\n{"from":"fleet-ccc","to":"fleet-ccc"}\n',
      }),
      step('dep list fleet-ccc'),
      step('dep add --file -', { stdin: 'bad\n', differs: 'the parser’s own words' }),
      step('dep add --file -', { stdin: '\n' }),
      step('dep add --file missing.jsonl'),
      step('dep add --file edges.jsonl fleet-aaa'),
      step('dep add --file edges.jsonl --blocked-by fleet-aaa'),
    ],
  },
  {
    name: 'dependencies are listed both ways',
    steps: [
      step('import -', { stdin: four }),
      step('dep add fleet-aaa fleet-ccc'),
      step('dep add fleet-aaa fleet-bbb -t tracks'),
      step('dep add fleet-aaa external:web:login'),
      step('dep list fleet-aaa'),
      step('dep list fleet-aaa --json'),
      step('dep list fleet-aaa -t tracks'),
      step('dep list fleet-bbb --direction up'),
      step('dep list fleet-bbb fleet-ccc --direction=up --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('dep list fleet-bbb'),
      step('dep list fleet-aaa --direction=up'),
      step('dep list fleet-aaa fleet-bbb'),
      step('dep list fleet-aaa zzzzzzzz --json'),
      step('dep list zzzzzzzz nix'),
      step('dep list zzzzzzzz nix --json'),
      step('dep list fleet-bbb fleet-ccc -t validates --direction up'),
      step('dep remove fleet-aaa fleet-ccc'),
      step('dep rm fleet-aaa fleet-ccc --json'),
      step('dep remove fleet-aaa external:web:login'),
      step('dep list fleet-aaa'),
    ],
  },
  {
    name: 'the tree of dependencies',
    steps: [
      step('import -', { stdin: four }),
      step('dep add fleet-aaa fleet-bbb'),
      step('dep add fleet-bbb fleet-ccc'),
      step('dep add fleet-ccc fleet-eee.1 -t tracks'),
      step('dep tree fleet-aaa'),
      step('dep tree fleet-aaa --json'),
      step('dep tree fleet-aaa -d 2'),
      step('dep tree fleet-ccc --direction=up'),
      step('dep tree fleet-bbb --direction both'),
      step('dep tree fleet-bbb --direction both --json'),
      step('dep tree fleet-eee'),
      step('dep tree fleet-eee --reverse'),
      step('dep tree fleet-aaa --format mermaid'),
      step('dep tree fleet-aaa --format json'),
      step('dep tree fleet-aaa --status closed'),
      step('dep tree fleet-aaa --status closed --json'),
      step('dep tree fleet-aaa --status closed --format mermaid'),
      step('dep tree fleet-aaa -d 0'),
      step('dep tree fleet-aaa --direction sideways --json'),
    ],
  },
  {
    name: 'two tasks are related and unrelated',
    steps: [
      step('import -', { stdin: four }),
      step('dep relate fleet-aaa fleet-bbb'),
      step('dep relate fleet-aaa fleet-ccc --json', { differs: 'fleet’s objects always say their schema_version' }),
      step('dep list fleet-aaa fleet-bbb'),
      step('dep tree fleet-aaa'),
      step('dep relate fleet-aaa fleet-aaa', { differs: 'bd prints its help below' }),
      step('dep relate fleet-aaa zzzzzzzz', { differs: 'bd prints its help below' }),
      step('dep unrelate fleet-aaa fleet-bbb'),
      step('dep list fleet-aaa fleet-bbb'),
    ],
  },
]
