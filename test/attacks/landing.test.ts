import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { attack } from '../support/attack.ts'
import { FLEET, run } from '../support/cli.ts'
import {
  claims,
  type Fleet,
  type FleetOptions,
  init,
  result,
  testFleet,
  tool,
  until,
  writes,
} from '../support/supervisor.ts'
import { ROWS } from './landing.rows.ts'

const { commands, config, remote, hugeFiles } = ROWS.attacks

interface Landed {
  readonly fleet: Fleet
  readonly id: string
  /** What the code of the agent left in this file of the project's folder. */
  left(name: string): string
}

function commit(repository: string, files: Readonly<Record<string, string>>, { uid }: FleetOptions): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(repository, name), text)
  const how = { cwd: repository, ...(uid === undefined ? {} : { uid, gid: uid }) }
  for (const argv of [
    ['add', '.'],
    ['commit', '-qm', 'Check'],
  ]) {
    expect(run('git', argv, how)).toMatchObject({ code: 0 })
  }
}

/**
 * Work whose code runs these lines of shell in the tree that lands, when that is set up and when it is checked: `$AT`. `$LEFT`
 * is a folder that the test reads.
 */
async function landed(options: FleetOptions, { script }: { script: (fleet: Fleet) => string }): Promise<Landed> {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'isolation=worktree', 'max_attempts=1'] })
  const repository = fleet.project('shop', { git: true })
  const folder = fleet.project('left')
  commit(repository, { 'check.sh': '. ./code.sh\n', 'code.sh': ':\n' }, options)
  const runsIt = ['verify', 'setup'].map((key) => `projects.${repository}.${key}=sh ./check.sh`)
  const set = fleet.fleet('config', 'set', ...runsIt)
  expect(set).toMatchObject({ code: 0, stderr: '' })
  const check = `case "$PWD" in */landing/*) ;; *) exit 0;; esac
if [ -n "$FLEET_WORKTREE" ]; then AT=setup; else AT=check; fi
LEFT='${folder}'; export LEFT FLEET_HOME='${fleet.home.path}' FLEET='${process.execPath} ${FLEET}'
${script(fleet)}
exit 0
`
  writeFileSync(join(folder, 'attack'), check)
  const moved = tool({ waitFor: join(fleet.home.project, 'moved') })
  const id = fleet.create(
    'Attack',
    [init, tool({ run: ['cp', join(folder, 'attack'), 'code.sh'] }), moved, claims(), result()],
    '--cwd',
    repository,
  )
  await fleet.start()
  await fleet.started(id)
  // A tree that has passed is not checked again.
  commit(repository, { 'meanwhile.txt': 'x\n' }, options)
  fleet.touch('moved')
  await fleet.settled(id, 'closed')
  const left = (name: string): string => {
    try {
      return readFileSync(join(folder, name), 'utf8').trim()
    } catch {
      return ''
    }
  }
  return { fleet, id, left }
}

attack(commands, async (options) => {
  let other = ''
  const unshare = uidOf(options) === 0 ? 'unshare -p -f --mount-proc' : 'unshare -U -r -p -f --mount-proc'
  const bare = 'env -i FLEET_HOME="$FLEET_HOME" PATH="$PATH"'
  const ways = [
    '$DO',
    `${bare} $DO`,
    `${bare} setsid --wait $DO`,
    ...(mayUnshare(options) ? [`${unshare} ${bare} $DO`] : []),
  ]
  const { fleet, left } = await landed(options, {
    script(fleet) {
      other = fleet.create('Not yours', 'true', '--defer', '+1d')
      const each = ways.map(
        (way, at) => `(${way}) >"$LEFT"/out 2>"$LEFT"/$AT-${at}.err; echo $? >"$LEFT"/$AT-${at}.code`,
      )
      return `export DO="$FLEET bd close ${other} --force"\n${each.join('\n')}`
    },
  })
  const tries = ['setup', 'check'].flatMap((name) => ways.map((way, at) => ({ way, name: `${name}-${at}` })))
  expect(tries.map((one) => ({ ...one, code: left(`${one.name}.code`), why: left(`${one.name}.err`) }))).toEqual(
    tries.map((one) => ({
      ...one,
      code: expect.stringMatching(/^[1-9]/),
      why: expect.stringMatching(/is not your task|looks like a command of an agent/),
    })),
  )
  expect((await fleet.task(other)).status).not.toBe('closed')
})

attack(config, async (options) => {
  const { fleet, id } = await landed(options, {
    script: () => 'sed -i s/^max_attempts.*/max_attempts=77/ "$FLEET_HOME/runtime.toml"',
  })
  await until(
    async () => fleet.log().some(({ event, ...line }) => event === 'file-changed' && line['file'] === 'runtime.toml'),
    () => 'the change is reported',
  )
  expect(fleet.fleet('config', 'get', 'max_attempts').stdout.trim()).toBe('1')
  expect(JSON.parse(fleet.fleet('tasks', '--json').stdout).attention).toMatchObject([
    { kind: 'changed', file: 'runtime.toml' },
  ])
  expect(fleet.receipt(id).warnings).toContainEqual(
    expect.stringContaining('runtime.toml was changed while agents ran'),
  )
})

/** Work that waits to land, of an agent that has run this in its shell. Why it waits. */
async function waiting(
  options: FleetOptions,
  { script, settings }: { script: (root: string) => string; settings: string[] },
) {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'isolation=worktree', 'max_attempts=1'] })
  const root = fleet.project('shop', { git: true })
  const keys = settings.map((each) => `projects.${root}.${each}`)
  if (keys.length > 0) expect(fleet.fleet('config', 'set', ...keys)).toMatchObject({ code: 0, stderr: '' })
  const steps = [init, tool({ run: ['sh', '-c', script(root)] }), writes('new.txt'), claims(), result()]
  const id = fleet.create('Attack', steps, '--cwd', root)
  await fleet.start()
  const why = () => JSON.stringify(fleet.ledger.landings.of(id)?.state ?? '')
  await until(
    async () => why().includes('"why"'),
    () => `it waits: ${why()}`,
  )
  return { root, why: why() }
}

attack(remote, async (options) => {
  const evil = (root: string) => `${root}/../evil.git`
  const script = (root: string) => `git init -q --bare '${evil(root)}'; git config branch.main.remote '${evil(root)}'`
  const { root, why } = await waiting(options, { script, settings: ['push=true'] })
  expect(why).toContain(`${evil(root)}, which is no remote of`)
  expect(readdirSync(join(evil(root), 'refs/heads'))).toEqual([])
})

attack(hugeFiles, async (options) => {
  const script = (root: string) => `truncate -s 1500M '${root}/.git/info/attributes'`
  const { why } = await waiting(options, { script, settings: [] })
  expect(why).toContain('reads at most')
})

function uidOf({ uid }: FleetOptions): number | undefined {
  return uid ?? process.getuid?.()
}

function mayUnshare(options: FleetOptions): boolean {
  const { uid } = options
  const as = uid === undefined ? {} : { uid, gid: uid }
  const users = uidOf(options) === 0 ? [] : ['-U', '-r']
  return spawnSync('unshare', [...users, '-p', '-f', '--mount-proc', 'true'], as).status === 0
}
