import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { attack } from '../support/attack.ts'
import type { Ran } from '../support/cli.ts'
import { type Fleet, type FleetOptions, testFleet, until } from '../support/supervisor.ts'
import { ROWS } from './fence.rows.ts'

const { commands, variables, processes, homes, table, leader, otherName, queue, nested, otherHome, errand, orphan } =
  ROWS.attacks

const hasLauncher = process.platform === 'linux' && process.env['FLEET_PROCESS_TABLE'] !== 'ps'

/** Every command that is for people, with arguments that would work. `$OTHER` is another task. */
const FOR_PEOPLE = [
  'config set max_concurrent=3',
  'init --force',
  'queue migrate local',
  'doctor --restore',
  'run start',
  'run stop',
  'run drain',
  'run restart',
  'pause',
  'resume',
  'retry $OTHER',
  'kill $OTHER',
  'answer $OTHER yes',
  'bd close $OTHER --force',
  'bd update $OTHER --status closed',
  'bd delete $OTHER --force',
  'bd priority $OTHER 0',
]

attack(commands, async (options) => {
  const { ran } = await tried(options, {
    ways: FOR_PEOPLE.map((words) => `env -u FLEET_RUN_ID $FLEET ${words}`),
  })
  for (const each of ran) expect(each).toMatchObject({ code: expect.not.toBeOneOf([0]) })
  expect(ran.map(({ stderr }) => reason(stderr))).toEqual(FOR_PEOPLE.map(() => 'refused'))
})

attack(variables, async (options) => {
  await refusesAll(options, [
    'env -u FLEET_RUN_ID $DO',
    'env -u FLEET_RUN_ID -u FLEET_TASK_ID -u FLEET_TASK_DIR $DO',
    'FLEET_TASK_DIR=/tmp/elsewhere $DO',
    'FLEET_RUN_ID= $DO',
    'env -i FLEET_HOME="$FLEET_HOME" $DO',
    `env -i FLEET_HOME="$FLEET_HOME" sh -c 'FLEET_RUN_ID=other FLEET_TASK_ID=x-1 FLEET_TASK_DIR=/tmp/x "$@"' sh $DO`,
  ])
})

attack(processes, async (options) => {
  const bare = 'env -i FLEET_HOME="$FLEET_HOME" PATH="$PATH"'
  await refusesAll(options, [
    `${bare} setsid --wait $DO`,
    `${bare} nohup $DO`,
    `${bare} sh -c '"$@"; exit $?' sh $DO`,
    `${bare} sh -c '(setsid "$@") & wait $!' sh $DO`,
    // Without a launcher its session still tells it.
    lost(bare),
    ...(hasLauncher ? [lost(`${bare} setsid`)] : []),
  ])
})

attack(homes, async (options) => {
  const bare = 'env -i PATH="$PATH"'
  await refusesAll(options, [
    `ln -s "$FLEET_HOME" link; ${bare} FLEET_HOME="$PWD/link" $DO`,
    `mkdir own; ln -s "$FLEET_HOME/fleet.db" own/fleet.db; ${bare} FLEET_HOME="$PWD/own" $DO`,
    `mkdir user; ln -s "$FLEET_HOME" user/.fleet; ${bare} HOME="$PWD/user" $DO`,
    `${bare} FLEET_HOME="$FLEET_HOME/../home" $DO`,
    `${bare} FLEET_HOME="/proc/self/root$FLEET_HOME" $DO`,
    // A second name of the store, without its log, shows an old state, in which the agent does not run yet.
    ...(hasLauncher
      ? [`mkdir own; ln "$FLEET_HOME/fleet.db" own/fleet.db; ${lost(`${bare} FLEET_HOME="$PWD/own" setsid`)}`]
      : []),
    ...(mayUnshare(options)
      ? [
          `mkdir own; ln "$FLEET_HOME/fleet.db" own/fleet.db; ${unshare(options)} -m ${bare} FLEET_HOME="$PWD/own" sh -c 'mount -t tmpfs none /proc && "$@"' sh $DO`,
        ]
      : []),
  ])
})

attack(table, async (options) => {
  const bare = 'env -i FLEET_HOME="$FLEET_HOME" PATH="$PATH"'
  const fake = `mkdir fake; printf '#!/bin/sh\\nexit 0\\n' >fake/ps; chmod +x fake/ps`
  await refusesAll(options, [
    `${fake}; ${bare} FLEET_PROCESS_TABLE=ps PATH="$PWD/fake:$PATH" $DO`,
    ...(mayUnshare(options)
      ? [
          `${unshare(options)} -p -f --mount-proc ${bare} $DO`,
          `${unshare(options)} -m ${bare} sh -c 'mount -t tmpfs none /proc && "$@"' sh $DO`,
          `${unshare(options)} -m ${bare} sh -c 'mount --bind /proc/self /proc/$PPID && "$@"' sh $DO`,
          // With another boot id, or another time of boot, no record of a process would count.
          ...(hasLauncher
            ? [
                lost(`${unshare(options)} -T --boottime 100000 ${bare} setsid`),
                `echo other >id; ${lost(`${unshare(options)} -m ${bare} setsid sh -c 'mount --bind id /proc/sys/kernel/random/boot_id && exec "$@"' sh`)}`,
                `${lost(`${unshare(options)} -m ${bare} setsid sh -c 'cd /proc/sys/kernel/random && mount --bind uuid boot_id && cd - && exec "$@"' sh`)}`,
              ]
            : []),
        ]
      : []),
  ])
})

attack(leader, async (options) => {
  // In a namespace its end would be that of all others.
  if (!hasLauncher || options.config?.includes('pid_namespace=off') !== true) return
  const { ran } = await tried(options, {
    // Not long: fleet kills the process that it waits for as soon as the leader has gone.
    ways: [lost('env -i FLEET_HOME="$FLEET_HOME" PATH="$PATH" LEADER=$LEADER setsid', 'kill -9 $LEADER', waitFor(100))],
    mayBeKilled: true,
  })
  expect(ran.filter(({ code }) => code === 0)).toEqual([])
})

attack(otherName, async (options) => {
  const { fleet, other, ran } = await tried(options, {
    ways: [
      'FLEET_RUN_ID=another FLEET_TASK_ID=$OTHER FLEET_TASK_DIR="$FLEET_HOME/tasks/$OTHER" $FLEET bd note $OTHER forged',
      'FLEET_RUN_ID=another FLEET_TASK_ID=$OTHER FLEET_TASK_DIR="$FLEET_HOME/tasks/$OTHER" $FLEET bd comment $OTHER hello',
    ],
  })
  expect(ran.map(({ code }) => code)).toEqual([1, 0])
  expect(ran[0]?.stderr).toContain(`${other} is not your task`)
  const shown = JSON.parse(fleet.fleet('bd', 'show', other, '--json').stdout)
  expect(shown[0].notes ?? '').toBe('')
  expect(fleet.fleet('bd', 'comments', other, '--json').stdout).not.toContain(`agent:${other}`)
})

attack(queue, async (options) => {
  // No server is needed: the command refuses before it would connect. The home `x` stands for one that runs the agent.
  const home = (name: string, url: string) =>
    `mkdir -p ${name}; echo 'queue = "${url}"' >${name}/runtime.toml; touch ${name}/fleet.db`
  const inX = 'FLEET_RUN_ID=r FLEET_TASK_ID=x-1 FLEET_TASK_DIR="$PWD/x/tasks/x-1"'
  const one = (url: string) =>
    `${home('x', 'postgres://me@127.0.0.1:1/db')}; ${home('own', url)}
     ${inX} sh -c 'env -i PATH="$PATH" FLEET_HOME="$PWD/own" $DO; exit $?'`
  const { ran } = await tried(options, {
    ways: [one('postgres://me@localhost:1/db'), one('postgres://me@127.0.0.1:1/other')],
  })
  expect(ran[0]?.stderr).toContain('this home has the queue of run')
  expect(ran[1]?.stderr).not.toContain('this home has the queue of run')
})

attack(nested, async (options) => {
  const shells = `deep() { if [ $1 -gt 0 ]; then sh -c "$BODY" sh $(($1 - 1)) || exit $?; else $DO; fi; }; deep $1`
  await refusesAll(options, [
    `env -i BODY=${quoted(shells)} DO="$DO" FLEET_HOME="$FLEET_HOME" PATH="$PATH" setsid --wait sh -c ${quoted(shells)} sh 150`,
  ])
})

attack(otherHome, async (options) => {
  const { ran } = await tried(options, {
    ways: [
      'FLEET_HOME="$PWD/yours"; export FLEET_HOME; $FLEET init --queue local && $FLEET config set max_concurrent=3',
    ],
  })
  expect(ran).toMatchObject([{ code: 0 }])
})

attack(errand, async (options) => {
  // The test is the process outside: it calls what the agent has written down.
  const { fleet, other } = await tried(options, { ways: ['echo "bd close $OTHER --force" >"$HANDED"'] })
  const words = readFileSync(join(fleet.home.project, 'handed'), 'utf8').trim().split(' ')
  expect(fleet.fleet(...words)).toMatchObject({ code: 0 })
  expect((await fleet.task(other)).status).toBe('closed')
})

attack(orphan, async (options) => {
  // Without perl there is no launcher; in a namespace the first process keeps what lost its parent.
  if (process.platform !== 'linux' || options.config?.includes('pid_namespace=off') !== true) return
  const env = { ...options.env, FLEET_PROCESS_TABLE: 'ps' }
  const { ran } = await tried(
    { ...options, env },
    { ways: [lost('env -i FLEET_HOME="$FLEET_HOME" PATH="$PATH" setsid')] },
  )
  expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual([[0, '']])
})

/** Root needs no user namespace for others. */
function unshare({ uid }: FleetOptions): string {
  return uid === undefined && process.getuid?.() === 0 ? 'unshare' : 'unshare -U -r'
}

function mayUnshare({ uid }: FleetOptions): boolean {
  const as = uid === undefined ? {} : { uid, gid: uid }
  return spawnSync('unshare', ['-U', '-r', '-m', '-p', '-f', '-T', '--mount-proc', 'true'], as).status === 0
}

/** Starts `$DO` with this prefix from a process whose parent has gone, and waits until it has left its exit code. */
function lost(prefix: string, first = ':', wait = waitFor(1200)): string {
  const child = `while kill -0 $$ 2>/dev/null; do :; done; ${first}; "$@" >out 2>err; echo $? >code`
  return `${prefix} sh -c '(${child}) & exit 0' sh $DO; ${wait}; cat out; cat err >&2; exit $(cat code || echo 1)`
}

function waitFor(tenths: number): string {
  return `i=0; while [ ! -s code ] && [ $i -lt ${tenths} ]; do sleep 0.1; i=$((i + 1)); done`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

interface Tried {
  readonly fleet: Fleet
  /** The task that the agent has no business with. */
  readonly other: string
  readonly ran: readonly Ran[]
}

/**
 * Runs these lines of shell in one run. In them `$FLEET` is the command, `$DO` is the close of `$OTHER`, `$HANDED` a file
 * that people read, `$LEADER` the process that leads the run.
 */
async function tried(
  options: FleetOptions,
  { ways, mayBeKilled = false }: { ways: readonly string[]; mayBeKilled?: boolean },
): Promise<Tried> {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_attempts=1'] })
  const other = fleet.create('Not yours', 'true', '--defer', '+1d')
  const folder = fleet.project('attacker')
  const lines = ways.map(
    (_, at) => `sh ${folder}/way-${at} >${folder}/${at}.out 2>${folder}/${at}.err; echo $? >${folder}/${at}.code`,
  )
  for (const [at, way] of ways.entries()) writeFileSync(join(folder, `way-${at}`), `mkdir ${at}; cd ${at}\n${way}\n`)
  const script = [
    `export OTHER=${other} HANDED=${join(fleet.home.project, 'handed')} LEADER=$PPID`,
    `export FLEET="$(command -v fleet)"`,
    `export DO="$FLEET bd close $OTHER --force"`,
    ...lines,
    'touch finished',
  ].join('\n')
  const id = fleet.create('Attack', script, '--cwd', folder)
  await fleet.start()
  if (mayBeKilled) await fleet.ended(id)
  else await fleet.settled(id, 'closed')
  const read = (name: string): string => {
    try {
      return readFileSync(join(folder, name), 'utf8')
    } catch {
      return ''
    }
  }
  const ran = ways.map((_, at) => ({
    code: read(`${at}.code`) === '' ? null : Number(read(`${at}.code`)),
    stdout: read(`${at}.out`),
    stderr: read(`${at}.err`),
  }))
  return { fleet, other, ran }
}

/** None of these ways closes the other task, and each is told why. */
async function refusesAll(options: FleetOptions, ways: readonly string[]): Promise<void> {
  const { fleet, other, ran } = await tried(options, { ways })
  expect(ways.map((way, at) => [way, reason(ran[at]?.stderr ?? '')])).toEqual(ways.map((way) => [way, 'refused']))
  await until(
    async () => (await fleet.task(other)).status !== 'closed',
    () => `${other} was closed`,
  )
}

function reason(stderr: string): string {
  return /is for people|not for agents|is not your task|looks like a command of an agent|settle and move no task/.test(
    stderr,
  )
    ? 'refused'
    : stderr
}
