import { expect, test } from 'vitest'
import { testHome } from '../support/cli.ts'

/** Complete messages, as a user who mistypes reads them. */
const REFUSALS: readonly (readonly [argv: string, code: number, stderr: string])[] = [
  ['redy', 2, 'fleet: unknown command "redy"\n  did you mean fleet ready? (fleet --help lists the commands)\n'],
  ['frobnicate', 2, 'fleet: unknown command "frobnicate"\n  fleet --help lists the commands\n'],
  ['start', 2, 'fleet: unknown command "start"\n  did you mean fleet run start?\n'],
  ['status', 2, 'fleet: unknown command "status"\n  did you mean fleet run status?\n'],
  ['set', 2, 'fleet: unknown command "set"\n  did you mean fleet config set?\n'],
  ['ready --limt 3', 2, 'fleet: unknown flag: --limt\n  did you mean --limit? (fleet ready --help lists the flags)\n'],
  [
    'ready --limit x',
    2,
    'fleet: --limit is "x", expected a whole number, 0 or more\n  fleet ready --help lists the flags\n',
  ],
  [
    'ready -n 1.5',
    2,
    'fleet: --limit is "1.5", expected a whole number, 0 or more\n  fleet ready --help lists the flags\n',
  ],
  ['ready --limit', 2, 'fleet: --limit needs a value\n  fleet ready --help lists the flags\n'],
  ['ready -n', 2, 'fleet: -n needs a value\n  fleet ready --help lists the flags\n'],
  [
    'ready --limit -1',
    2,
    'fleet: --limit is "-1", expected a whole number, 0 or more\n  fleet ready --help lists the flags\n',
  ],
  [
    'ready --json=perhaps',
    2,
    'fleet: --json is "perhaps", expected true or false\n  fleet ready --help lists the flags\n',
  ],
  ['ready -Z', 2, 'fleet: unknown flag: -Z\n  fleet ready --help lists the flags\n'],
  [
    'tasks --limit 0',
    2,
    'fleet: --limit is "0", expected a positive whole number\n  fleet tasks --help lists the flags\n',
  ],
  [
    'tasks --limit 99999999999999999999',
    2,
    'fleet: --limit is "99999999999999999999", too large\n  fleet tasks --help lists the flags\n',
  ],
  [
    'run --max 1001',
    2,
    'fleet: --max is "1001", expected a whole number from 1 to 1000\n  fleet run --help lists the flags\n',
  ],
  [
    'run start --max many',
    2,
    'fleet: --max is "many", expected a whole number from 1 to 1000\n  fleet run start --help lists the flags\n',
  ],
  [
    'task fleet-a log --attempt 0',
    2,
    'fleet: --attempt is "0", expected a positive whole number\n  fleet task --help lists the flags\n',
  ],
  ['ready extra', 2, 'fleet: fleet ready takes no arguments, got "extra"\n'],
  ['show', 2, 'fleet: fleet show takes one task id\n  fleet bd list shows the ids\n'],
  ['show --', 2, 'fleet: fleet show takes one task id\n  fleet bd list shows the ids\n'],
  ['show fleet-a fleet-b', 2, 'fleet: fleet show takes one task id, got 2\n  fleet bd list shows the ids\n'],
  ['show ../x', 4, 'fleet: no task "../x"\n  fleet bd list --all shows every task\n'],
  ['config', 2, 'fleet: fleet config needs show, get, set, accept or revert\n  fleet config --help explains them\n'],
  ['config frobnicate', 2, 'fleet: unknown command "config frobnicate"\n  fleet config --help explains them\n'],
  [
    'bd redy',
    1,
    'Error: unknown command "redy" for "bd"\n\nDid you mean this?\n\tready\n\nRun \'fleet bd --help\' for usage.\n',
  ],
  [
    'bd --db x list',
    8,
    'Error: bd list --db is not served by fleet\nHint: the queue is the one of the home; set FLEET_HOME to use another\n',
  ],
  [
    'bd --global list',
    8,
    'Error: bd list --global is not served by fleet\nHint: the queue is the one of the home; set FLEET_HOME to use another\n',
  ],
  ['bd list --stauts open', 1, 'Error: unknown flag: --stauts\nHint: did you mean --status?\n'],
  ['bd list -Z', 1, "Error: unknown shorthand flag: 'Z' in -Z\nHint: 'fleet bd list --help' lists the flags\n"],
  ['bd list --status', 1, "Error: flag needs an argument: --status\nHint: 'fleet bd list --help' lists the flags\n"],
  [
    'bd list --limit x',
    1,
    'Error: invalid argument "x" for "-n, --limit" flag: strconv.ParseInt: parsing "x": invalid syntax\n' +
      "Hint: 'fleet bd list --help' lists the flags\n",
  ],
  ['bd show', 1, 'Error: at least one issue ID is required (use positional args, --id flag, or --current)\n'],
]

test('invalid usage is refused in plain words, and nothing changes', () => {
  const home = testHome()
  home.bd(['create', 'a task', '--id', 'fleet-a'])
  const before = home.bd(['export', '--all']).stdout
  for (const [argv, code, stderr] of REFUSALS)
    expect({ argv, ...home.fleet(argv.split(' ')) }).toEqual({ argv, code, stdout: '', stderr })
  expect(home.bd(['export', '--all']).stdout).toBe(before)
  expect(before).toContain('"fleet-a"')
})

test('`fleet` alone prints its help and fails, so that a script that forgot the command notices', () => {
  const home = testHome()
  const help = home.fleet(['--help'])
  expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('\nUsage:\n  fleet <command>') })
  expect(home.fleet([])).toEqual({ ...help, code: 2 })
})
