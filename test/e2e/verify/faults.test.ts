import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localAgents } from '../../../src/platform/process/agents.ts'
import { run } from '../../support/cli.ts'
import { claims, healthy, init, result, testFleet, until, writes } from '../../support/supervisor.ts'

const lines = (path: string): readonly string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []

/** A task in a project whose verify commands note their steps in a file beside it. */
function verified(commands: readonly string[], more: { config?: readonly string[] } = {}) {
  const fleet = testFleet(more)
  const cwd = fleet.project('shop', { git: true })
  const said = join(cwd, '..', 'said')
  const set = fleet.fleet('config', 'set', `projects.${cwd}.verify=${JSON.stringify(commands)}`)
  expect(set).toMatchObject({ code: 0, stderr: '' })
  const id = fleet.create('Write', healthy('a.txt'), '--cwd', cwd)
  const says = (line: string) =>
    until(
      async () => lines(said).includes(line),
      () => `it says ${line}: ${lines(said)}`,
    )
  const left = () => [...localAgents().sweep(0)].filter(([mark]) => mark.startsWith(fleet.runs(id)[0]?.id ?? 'none'))
  return { fleet, cwd, said, id, says, left }
}

const STEPS = ['begin 1', 'end 1', 'begin 2', 'end 2']
const step = (n: number) => `echo begin ${n} >>../said; sleep 0.3; echo end ${n} >>../said`

test.each(STEPS)(
  'a supervisor that is killed when a command says "%s" leaves each command run once',
  async (moment) => {
    const { fleet, said, id, says } = verified([step(1), step(2)])
    await fleet.start()
    await says(moment)
    await fleet.start('SIGKILL')
    await fleet.settled(id, 'closed')
    expect(lines(said)).toEqual(STEPS)
    expect(fleet.receipt(id)).toMatchObject({ level: 'verified', attempt: 1 })
  },
)

test('a supervisor that is killed again and again while a command runs neither loses nor repeats it', async () => {
  const { fleet, said, id, cwd, says } = verified(
    [
      'echo begin >>../said; until test -e ../go; do sleep 0.1; done; echo end >>../said; exit 1',
      'echo never >>../said',
    ],
    { config: ['max_attempts=1'] },
  )
  await fleet.start()
  await says('begin')
  for (let kill = 0; kill < 3; kill++) {
    await fleet.start('SIGKILL')
    const adopted = () => fleet.log().filter(({ event }) => event === 'supervisor-started').length
    await until(
      async () => adopted() === kill + 2,
      () => 'the next supervisor has started',
    )
  }
  writeFileSync(join(cwd, '..', 'go'), '')
  await fleet.settled(id, 'blocked')
  // A red command is run once more.
  expect(lines(said)).toEqual(['begin', 'end', 'begin', 'end'])
  expect(fleet.runs(id).map(({ outcome }) => outcome?.code)).toEqual(['verify-failed'])
})

test('a restart and a stop that keeps agents leave a command running', async () => {
  const { fleet, said, id, cwd, says } = verified([
    'echo begin >>../said; until test -e ../go; do sleep 0.1; done; echo end >>../said',
  ])
  await fleet.start()
  await says('begin')
  await fleet.end('SIGHUP')
  expect(lines(said)).toEqual(['begin'])
  await fleet.start()
  writeFileSync(join(cwd, '..', 'go'), '')
  await fleet.settled(id, 'closed')
  expect(lines(said)).toEqual(['begin', 'end'])
})

test('a supervisor that is killed while work is verified with the base version leaves that running, and its copy', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  const at = (name: string) => join(cwd, '..', name)
  const waits = `echo begin >>${at('said')}; until test -e ${at('go')}; do sleep 0.1; done`
  const verify = `case "$PWD" in */base-tree) ${waits};; esac; test -e kept.txt`
  expect(fleet.fleet('config', 'set', `projects.${cwd}.verify=${verify}`)).toMatchObject({ code: 0, stderr: '' })
  const id = fleet.create('Write', [init, writes('a.test.js', 'x\n'), claims(), result()], '--cwd', cwd)
  await fleet.start()
  await until(
    async () => lines(at('said')).length === 1,
    () => 'it is verified with the base version',
  )
  await fleet.start('SIGKILL')
  writeFileSync(at('go'), '')
  await fleet.settled(id, 'closed')
  expect(lines(at('said'))).toEqual(['begin'])
  expect(fleet.receipt(id)).toMatchObject({
    level: 'verified',
    checks: [{ guarded: { base: 'passed', files: ['a.test.js'] } }],
  })
  expect(fleet.exists(id, 'attempts', '1', 'checks', 'base-tree')).toBe(false)
})

test('a supervisor that is killed while it copies the tree for that makes the copy anew', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  const many = Array.from({ length: 2000 }, (_, i) => `file-${i}.txt`)
  for (const name of many) writeFileSync(join(cwd, name), name)
  for (const argv of [
    ['add', '.'],
    ['-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qm', 'Many'],
  ])
    expect(run('git', argv, { cwd })).toMatchObject({ code: 0 })
  // Untracked files are copied one by one, after those of the commit.
  const left = many.map((name) => `left/${name}`)
  mkdirSync(join(cwd, 'left'))
  for (const name of left) writeFileSync(join(cwd, name), name)
  const verify = `test "$(ls | wc -l)" -ge ${many.length} && test "$(ls left | wc -l)" = ${left.length}`
  expect(fleet.fleet('config', 'set', `projects.${cwd}.verify=${verify}`)).toMatchObject({ code: 0, stderr: '' })
  const id = fleet.create('Write', [init, writes('a.test.js', 'x\n'), claims(), result()], '--cwd', cwd)
  await fleet.start()
  const copied = () => fleet.exists(id, 'attempts', '1', 'checks', 'base-tree', 'left')
  await until(
    async () => copied(),
    () => 'the tree is being copied',
  )
  await fleet.start('SIGKILL')
  await fleet.settled(id, 'closed')
  expect(fleet.receipt(id)).toMatchObject({
    attempt: 1,
    level: 'verified',
    checks: [{ guarded: { base: 'passed', files: ['a.test.js'] } }],
  })
  expect(fleet.exists(id, 'attempts', '1', 'checks', 'base-tree')).toBe(false)
})

test('a stop of the supervisor ends a command and everything it started, and counts nothing', async () => {
  const { fleet, id, says, left } = verified([
    "trap '' TERM; setsid sleep 600 & echo begin >>../said; while :; do sleep 600; done",
  ])
  await fleet.start()
  await says('begin')
  await fleet.end('SIGTERM')
  expect(left()).toEqual([])
  expect([(await fleet.task(id)).status, fleet.ledger.stateOf(id).failures]).toEqual(['open', 0])
})

test('a kill without a supervisor ends a command that runs', async () => {
  const { fleet, id, says, left } = verified(["trap '' TERM; echo begin >>../said; while :; do sleep 600; done"])
  await fleet.start()
  await says('begin')
  await fleet.end('SIGKILL')
  expect(left().length).toBe(1)
  expect(fleet.fleet('kill', id)).toMatchObject({ code: 0 })
  expect(left()).toEqual([])
  expect([(await fleet.task(id)).status, fleet.runs(id)[0]?.outcome?.code]).toEqual(['blocked', 'killed'])
})

test('a command that kills the supervisor is followed by the next one', async () => {
  const { fleet, said, id, cwd } = verified(
    [
      'echo begin >>../said; until test -s ../pid; do sleep 0.1; done; test -e ../killed || { touch ../killed; kill -9 $(cat ../pid); }; echo end >>../said',
    ],
    { config: ['pid_namespace=off'] },
  )
  await fleet.start()
  writeFileSync(join(cwd, '..', 'pid'), `${fleet.pid}`)
  await fleet.over()
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(lines(said)).toEqual(['begin', 'end'])
  expect(fleet.receipt(id).level).toBe('verified')
})

test('a task that a person closes while it is verified is theirs, and its command is ended', async () => {
  const { fleet, id, says, left } = verified(['echo begin >>../said; sleep 600'])
  await fleet.start()
  await says('begin')
  expect(fleet.fleet('bd', 'close', id, '--force').code).toBe(0)
  await fleet.ended(id)
  expect([left(), (await fleet.task(id)).status]).toEqual([[], 'closed'])
  expect(fleet.runs(id)[0]?.outcome?.code).toBe('taken-away')
})
