import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Home } from '../../../src/platform/files/home.ts'
import { procTable } from '../../../src/platform/process/process-table-proc.ts'
import { FLEET, run } from '../../support/cli.ts'
import { endProcess, eventually, type FleetHome, fleetHome } from '../../support/home-run.ts'
import { inLedger } from '../../support/ledger.ts'
import { isExcepted, throughPs } from '../../support/ps-exceptions.ts'

/** Ways to get away from a run; each writes the pid of a process that waits for its end. */
const STAY = 'echo $$ >>escaped; exec sleep 600'
const ESCAPES = {
  bare: `env -i setsid sh -c '${STAY}' &`,
  forged: `FLEET_RUN_ID=another setsid sh -c '${STAY}' &`,
  renamed: `setsid perl -e '$0 = "x" x 20000; open F, ">>", "escaped"; print F "$$\\n"; close F; sleep 600' &`,
  huge: `env -i sh -c 'v=$(head -c 120000 /dev/zero | tr "\\0" x); for n in 1 2 3 4 5 6 7 8 9 10; do export A$n=$v; done
    exec setsid sh -c "echo \\$\\$ >>escaped; exec sleep 600"' &`,
}
const DOUBLE = `(env -i setsid sh -c 'env -i setsid sh -c "echo \\$\\$ >>escaped; exec sleep 600" &' &)`

async function escapees(fleet: FleetHome, count: number): Promise<readonly number[]> {
  await eventually(() => fleet.lines('escaped').length === count, 'all have escaped')
  const pids = fleet.lines('escaped').map(Number)
  expect(pids.map((pid) => procTable.entry(pid)?.alive)).toEqual(pids.map(() => true))
  return pids
}

const living = (pids: readonly number[]) => pids.filter((pid) => procTable.entry(pid)?.alive === true)

test('`fleet kill` ends processes that have lost their marker, and names them', async () => {
  const fleet = await fleetHome(['pid_namespace=off'])
  await fleet.supervise()
  const scripts = Object.values(ESCAPES)
  const id = await fleet.script(`${scripts.join('\n')}\nsleep 600`)
  const pids = await escapees(fleet, scripts.length)
  const killed = await fleet.beside(['kill', id])
  expect(living(pids)).toEqual([])
  expect(killed.code).toBe(0)
  for (const pid of pids) expect(killed.stdout).toContain(`${pid} (`)
  const receipt = JSON.parse(readFileSync(join(new Home(fleet.path).task(id), 'attempts/1/receipt.json'), 'utf8'))
  expect(receipt.leftovers.map(({ pid }: { pid: number }) => pid)).toEqual(expect.arrayContaining([...pids]))
  await fleet.expectNoAgents()
})

test.skipIf(isExcepted('`fleet kill` ends a process after a double fork without its environment'))(
  '`fleet kill` ends a process after a double fork without its environment',
  async () => {
    const fleet = await fleetHome(['pid_namespace=off'])
    await fleet.supervise()
    const id = await fleet.script(`${DOUBLE}; sleep 600`)
    const pids = await escapees(fleet, 1)
    const killed = await fleet.beside(['kill', id])
    expect(living(pids)).toEqual([])
    expect(killed.stdout).toContain(`${pids[0]} (sleep 600)`)
  },
)

test.skipIf(
  isExcepted('a run that ends by itself leaves nothing, whatever it started, and its task is closed after that'),
)('a run that ends by itself leaves nothing, whatever it started, and its task is closed after that', async () => {
  const fleet = await fleetHome(['pid_namespace=off'])
  await fleet.supervise()
  const scripts = [...Object.values(ESCAPES), DOUBLE]
  const all = `until [ "$(cat escaped 2>/dev/null | wc -l)" -eq ${scripts.length} ]; do sleep 0.02; done`
  const id = await fleet.script(`${scripts.join('\n')}\n${all}`)
  await fleet.becomes(id, 'closed')
  expect(living(fleet.lines('escaped').map(Number))).toEqual([])
})

test('runs that end together have each their own leftovers on their receipts', async () => {
  const fleet = await fleetHome(['pid_namespace=off', 'max_concurrent=6'])
  const seconds = [601, 602, 603, 604, 605, 606]
  // All wait for each other, so that they end in the same moment.
  const together = `echo . >>there; until [ "$(wc -l <there)" -eq ${seconds.length} ]; do sleep 0.02; done`
  const ids = await fleet.scripts(seconds.map((each) => `setsid sleep ${each} >/dev/null 2>&1 & ${together}`))
  await fleet.supervise()
  for (const id of ids) await fleet.becomes(id, 'closed')
  const leftOf = (id: string) =>
    JSON.parse(readFileSync(join(new Home(fleet.path).task(id), 'attempts/1/receipt.json'), 'utf8')).leftovers
  await eventually(() => ids.every((id) => leftOf(id).length > 0), 'all leftovers are on receipts')
  expect(ids.map((id) => leftOf(id).map(({ command }: { command: string }) => command))).toEqual(
    seconds.map((each) => [`sleep ${each}`]),
  )
})

test('what an earlier supervisor saw of a run is ended by the next one', async () => {
  const fleet = await fleetHome(['pid_namespace=off'])
  const first = await fleet.supervise()
  const scripts = Object.values(ESCAPES)
  const id = await fleet.script(`${scripts.join('\n')}\nsleep 600`)
  const pids = await escapees(fleet, scripts.length)
  const one = () => fleet.runsOf(id)[0]
  // Its script may be at work before the ledger has its process.
  await eventually(() => (one()?.proc?.pid ?? 0) > 0, 'its process is known')
  const leader = one()?.proc?.pid as number
  if (throughPs) {
    const seen = () => inLedger(fleet, (ledger) => ledger.seen(one()?.id ?? '').family ?? '')
    await eventually(() => pids.every((pid) => seen().includes(`${pid} `)), 'a look has seen them')
  }
  first.kill('SIGKILL')
  await first.exited
  // The agent and its wrapper go, too: only the ledger shows whose processes these are.
  if (throughPs) process.kill(-leader, 'SIGKILL')
  await fleet.supervise()
  const killed = await fleet.beside(['kill', id])
  expect(living(pids)).toEqual([])
  expect(killed.code).toBe(0)
  await fleet.expectNoAgents()
})

/** Each process is soon replaced by a child in a session of its own, until the test has ended. */
async function crowd(fleet: FleetHome, start: string, seconds: number): Promise<string> {
  onTestFinished(() => fleet.touch('over'))
  const flee = `[ -e "$1/over" ] && exit; echo $$ >>"$1/pids"; sleep ${seconds}\\nsetsid sh ./flee "$1" &\\n`
  const many = `n=0; while [ $n -lt 15 ]; do ${start} setsid sh ./flee "$PWD" & n=$((n+1)); done`
  const id = await fleet.script(`printf '${flee}' >flee; ${many}; sleep 600`)
  await eventually(() => fleet.lines('pids').length > 30, 'they multiply')
  return id
}

async function expectNoMore(fleet: FleetHome): Promise<void> {
  const pids = fleet.lines('pids')
  expect(living(pids.map(Number))).toEqual([])
  expect(fleet.lines('pids')).toEqual(pids)
}

test('a crowd of processes that keep being replaced is ended', async () => {
  const fleet = await fleetHome(['pid_namespace=off'])
  await fleet.supervise()
  const id = await crowd(fleet, '', 1)
  expect((await fleet.beside(['kill', id])).code).toBe(0)
  await expectNoMore(fleet)
})

test.skipIf(isExcepted('a crowd of processes without environment that keep being replaced is ended'))(
  'a crowd of processes without environment that keep being replaced is ended',
  async () => {
    const fleet = await fleetHome(['pid_namespace=off'])
    await fleet.supervise()
    const id = await crowd(fleet, 'env -i', 0.05)
    expect((await fleet.beside(['kill', id])).code).toBe(0)
    await expectNoMore(fleet)
  },
)

/** A program that makes its caller root: the agent itself runs as another user. */
function becomesRoot(folder: string): string | undefined {
  const path = join(folder, 'as-root')
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/setpriv')) return undefined
  copyFileSync('/usr/bin/setpriv', path)
  chmodSync(path, 0o4755)
  const tried = spawnSync(path, ['--reuid=0', '--clear-groups', 'id', '-u'], {
    uid: NOBODY,
    gid: NOBODY,
    encoding: 'utf8',
  })
  return tried.stdout === '0\n' ? path : undefined
}

const NOBODY = 65534
const canRunAsNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [FLEET, '--version'], { uid: NOBODY, gid: NOBODY, cwd: '/' }).status === 0

test.runIf(canRunAsNobody)(
  'a process of another user holds no slot for ever: it is named as left running',
  async () => {
    const fleet = await fleetHome(['pid_namespace=off'])
    chmodSync(join(fleet.path, '..'), 0o755)
    const asRoot = becomesRoot(join(fleet.path, '..'))
    if (asRoot === undefined)
      return console.warn('*** no set-user-id programs here: a process of another user is not tried ***')
    // In the group of the run, and in a session of its own.
    const root = (how: string) =>
      `${how} '${asRoot}' --reuid=0 --clear-groups sh -c 'echo $$ >>escaped; exec sleep 600' &`
    const id = await fleet.script(`${root('')} ${root('setsid')} sleep 600`)
    execFileSync('chown', ['-R', String(NOBODY), fleet.path, fleet.project])
    await fleet.supervise({ uid: NOBODY })
    const pids = await escapees(fleet, 2)
    onTestFinished(() => {
      for (const pid of pids) endProcess(pid)
    })
    const killed = run(process.execPath, [FLEET, 'kill', id], {
      env: { FLEET_HOME: fleet.path },
      cwd: '/',
      uid: NOBODY,
    })
    expect(killed).toMatchObject({ code: 0 })
    expect(killed.stdout).toContain('left running, because it belongs to another user: ')
    expect(pids.some((pid) => killed.stdout.includes(`${pid} (`))).toBe(true)
    expect(fleet.openRuns()).toBe(0)
  },
)
