import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isSameStart, processEntry } from '../../../src/platform/process/process-table.ts'
import { sealedText } from '../../../src/supervisor/run/launch-record.ts'
import { type Step, stubAs } from '../../stub-agent/stub-as.ts'
import { hasNamespace } from '../../support/agents.ts'
import { FLEET, scrubbed } from '../../support/cli.ts'
import { eventually, type FleetHome, fleetHome, launchersOf } from '../../support/home-run.ts'
import { inLedger } from '../../support/ledger.ts'
import { tamper } from '../../support/store.ts'

const UNTIL_GO = 'echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done; echo done >>ends'

/** With the name of the file: a script works in the same directory all the time, so nothing else traces it to the agent. */
const WRITES_WORK: Step = {
  claude: 'tool',
  name: 'Write',
  input: { file_path: 'work.txt' },
  do: [{ write: 'work.txt', text: 'work' }],
}

async function started(fleet: FleetHome, count: number): Promise<void> {
  await eventually(() => fleet.lines('starts').length === count, `${count} have started`)
}

/** A task whose agent runs until the test lets it go, and whose supervisor was killed. */
async function abandoned(fleet: FleetHome): Promise<string> {
  const first = await fleet.supervise()
  const id = await fleet.script(UNTIL_GO)
  await started(fleet, 1)
  first.kill('SIGKILL')
  await first.exited
  return id
}

test.each([2, 4])(
  'of %i supervisors started at the same moment one wins; the others name its pid and exit 5',
  async (count) => {
    const fleet = await fleetHome()
    const ids = await fleet.scripts(Array.from({ length: 12 }, () => 'echo one >>starts'))
    const all = await Promise.all(Array.from({ length: count }, () => fleet.supervise({ wait: false })))
    for (const id of ids) await fleet.becomes(id, 'closed')
    await eventually(
      () => all.filter(({ child }) => child.exitCode !== null).length === count - 1,
      'the losers have ended',
    )
    const winner = all.find(({ child }) => child.exitCode === null)
    const losers = all.filter((each) => each !== winner)
    for (const loser of losers) {
      expect(await loser.exited).toEqual({ code: 5, signal: null })
      expect(loser.output()).toContain(`already running on ${fleet.path} (pid ${winner?.pid})`)
    }
    expect(fleet.log().filter(({ event }) => event === 'supervisor-started')).toHaveLength(1)
    expect(fleet.lines('starts')).toHaveLength(ids.length)
    await fleet.expectNoAgents()
  },
)

test('after a reboot, a lost run signals no process, costs no attempt, and reopens its task', async () => {
  const innocent = bystander()
  const fleet = await fleetHome()
  const id = await abandoned(fleet)
  await eventually(() => {
    for (const pid of fleet.agents()) kill(pid)
    return fleet.agents().length === 0
  }, 'the machine is down')
  tamper(
    fleet.path,
    `update run set boot_id = 'an-earlier-one', pid = ${innocent}, start_time = '${processEntry(innocent)?.startTime}'`,
  )
  expect(fleet.fleet(['pause']).code).toBe(0)
  const second = await fleet.supervise()
  await fleet.becomes(id, 'open')
  expect(fleet.stateOf(id)).toMatchObject({ failures: 0, waitingUntil: null, lastOutcome: { code: 'machine-lost' } })
  expect(fleet.runsOf(id)).toMatchObject([{ outcome: { code: 'machine-lost' }, next: { to: 'open' } }])
  fleet.touch('go')
  expect(fleet.fleet(['resume']).code).toBe(0)
  await fleet.becomes(id, 'closed')
  second.kill('SIGTERM')
  await second.exited
  expect(processEntry(innocent)?.alive).toBe(true)
  await fleet.expectNoAgents()
})

test.skipIf(!hasNamespace)(
  'a restarted container loses its runs like a rebooted machine, and they cost no attempt',
  async () => {
    const fleet = await fleetHome(['pid_namespace=off'])
    /** Like a container: the same kernel, its own pids, and all of them die with the first. */
    const container = () => {
      const argv = ['--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', process.execPath, FLEET, 'run']
      const env = { ...scrubbed(), FLEET_HOME: fleet.path }
      const child = spawn('unshare', argv, { cwd: fleet.project, env, stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      return { child, gone: once(child, 'exit') }
    }
    const id = await fleet.script(UNTIL_GO)
    const first = container()
    await started(fleet, 1)
    first.child.kill('SIGKILL')
    await first.gone
    await fleet.expectNoAgents()
    const second = container()
    await started(fleet, 2)
    expect(fleet.runsOf(id)).toMatchObject([{ outcome: { code: 'machine-lost' } }, { outcome: null }])
    expect(fleet.stateOf(id)).toMatchObject({ failures: 0 })
    fleet.touch('go')
    await fleet.becomes(id, 'closed')
    second.child.kill('SIGKILL')
    await second.gone
  },
)

test('a run whose process was never recorded is also lost with its machine, and costs no attempt', async () => {
  const fleet = await fleetHome()
  const first = await fleet.supervise()
  const id = await fleet.script(UNTIL_GO)
  await started(fleet, 1)
  first.kill('SIGKILL')
  await first.exited
  await eventually(() => {
    for (const pid of fleet.agents()) kill(pid)
    return fleet.agents().length === 0
  }, 'the machine is down')
  const record = join(fleet.path, 'tasks', id, 'attempts/1/launch.json')
  const launch = JSON.parse(readFileSync(record, 'utf8'))
  const { seal: _, ...earlier } = { ...launch, boot: 'an-earlier-one' }
  const secret = inLedger(fleet, (ledger) => ledger.secret())
  writeFileSync(record, sealedText(earlier, secret))
  const unheard = "update run set phase = 'launching', boot_id = null, pid = null, start_time = null, evidence = null"
  tamper(fleet.path, `${unheard}; delete from run_record`)
  expect(fleet.fleet(['pause']).code).toBe(0)
  await fleet.supervise()
  await fleet.becomes(id, 'open')
  expect(fleet.stateOf(id)).toMatchObject({ failures: 0, lastOutcome: { code: 'machine-lost' } })
})

test('an agent that destroys the record of its start before the ledger has it did run all the same', async () => {
  const fleet = await fleetHome(['max_attempts=1'])
  const id = await abandoned(fleet)
  await eventually(() => {
    for (const pid of fleet.agents()) kill(pid)
    return fleet.agents().length === 0
  }, 'it has ended')
  const folder = join(fleet.path, 'tasks', id, 'attempts/1')
  rmSync(folder, { recursive: true })
  expect(spawnSync('mkfifo', [folder]).status).toBe(0)
  const unheard = "update run set phase = 'launching', boot_id = null, pid = null, start_time = null, evidence = null"
  tamper(fleet.path, `${unheard}; delete from run_record`)
  await fleet.supervise()
  await fleet.becomes(id, 'blocked')
  expect(fleet.stateOf(id)).toMatchObject({ attempts: 1, failures: 1, lastOutcome: { code: 'evidence-destroyed' } })
})

test('output that was altered while no supervisor ran is not evidence for the next one', async () => {
  const fleet = await fleetHome(['max_attempts=1'])
  const first = await fleet.supervise()
  const id = await fleet.script(`echo first; ${UNTIL_GO}`)
  await eventually(() => fleet.runsOf(id)[0]?.figures.events === 1, 'its output was read')
  first.kill('SIGKILL')
  await first.exited
  const stdout = join(fleet.path, 'tasks', id, 'attempts/1/stdout.jsonl')
  const file = openSync(stdout, 'r+')
  writeSync(file, 'F', 0)
  closeSync(file)
  await fleet.supervise()
  await fleet.logged('run-found')
  fleet.touch('go')
  await fleet.becomes(id, 'blocked')
  expect(fleet.runsOf(id)[0]?.outcome).toMatchObject({ text: 'its output was altered afterwards' })
})

test('an adopted agent keeps the time of its last output', async () => {
  const fleet = await fleetHome()
  const first = await fleet.supervise()
  const id = await fleet.script(`echo first; ${UNTIL_GO}`)
  await eventually(() => fleet.runsOf(id)[0]?.figures.events === 1, 'its output was read')
  first.kill('SIGKILL')
  await first.exited
  const before = new Date(Date.now() - 300_000)
  utimesSync(join(fleet.path, 'tasks', id, 'attempts/1/stdout.jsonl'), before, before)
  await fleet.supervise()
  await eventually(() => (fleet.runsOf(id)[0]?.figures.lastEventAt ?? 0) === before.getTime(), 'it is read again')
  fleet.touch('go')
  await fleet.becomes(id, 'closed')
})

test('a run that had ended before the reboot is judged by what it recorded', async () => {
  const innocent = bystander()
  const fleet = await fleetHome()
  const id = await abandoned(fleet)
  fleet.touch('go')
  await fleet.expectNoAgents()
  tamper(fleet.path, `update run set boot_id = 'an-earlier-one', pid = ${innocent}`)
  await fleet.supervise()
  await fleet.becomes(id, 'closed')
  expect(fleet.stateOf(id)).toMatchObject({ attempts: 1, failures: 0, lastOutcome: { code: 'done' } })
})

test('a reused pid is not signalled, and its run counts as lost', async () => {
  const innocent = bystander()
  await untilOthersStartLater(innocent)
  const fleet = await fleetHome(['pid_namespace=off', 'max_attempts=1'])
  const id = await abandoned(fleet)
  for (const pid of fleet.agents()) kill(pid)
  await fleet.expectNoAgents()
  tamper(fleet.path, `update run set pid = ${innocent}`)
  await fleet.supervise()
  await fleet.becomes(id, 'blocked')
  expect(fleet.stateOf(id)).toMatchObject({ failures: 1, lastOutcome: { code: 'lost' } })
  expect(processEntry(innocent)?.alive).toBe(true)
  await fleet.expectNoAgents()
})

test('an agent whose wrapper is killed keeps running, is followed to its end and is judged by its stream', async () => {
  const stub = stubAs('claude', [
    { claude: 'init' },
    { touch: 'begun' },
    { waitFor: 'go' },
    WRITES_WORK,
    { fleet: ['done', 'wrote it'] },
    { claude: 'result', text: 'wrote it' },
  ])
  const fleet = await fleetHome(['pid_namespace=off'])
  await fleet.supervise({ env: { PATH: stub.path } })
  const [agent, script] = [await fleet.script('Do the work', { coder: 'claude' }), await fleet.script(UNTIL_GO)]
  await started(fleet, 1)
  await eventually(() => fleet.exists('begun'), 'the agent is at work')
  for (const id of [agent, script]) kill(await leaderOf(fleet, id))
  fleet.touch('go')
  await fleet.becomes(agent, 'closed')
  expect(fleet.stateOf(agent)).toMatchObject({
    attempts: 1,
    failures: 0,
    lastOutcome: { code: 'done', text: 'wrote it' },
  })
  await eventually(() => fleet.stateOf(script).lastOutcome !== null, 'the script is judged')
  // A script has no event stream, so its exit is unknown and it does not count as done.
  expect(fleet.stateOf(script).lastOutcome).toMatchObject({ code: 'lost' })
  expect(fleet.lines('ends')).toEqual(['done'])
  await fleet.expectNoAgents()
})

test.skipIf(!hasNamespace)(
  'killing the first process of a pid namespace ends everything in it, and the run is lost',
  async () => {
    const fleet = await fleetHome(['pid_namespace=on', 'max_attempts=1'])
    await fleet.supervise()
    const id = await fleet.script(`setsid sleep 1000 & ${UNTIL_GO}`)
    await started(fleet, 1)
    kill(await leaderOf(fleet, id))
    await fleet.becomes(id, 'blocked')
    expect(fleet.stateOf(id)).toMatchObject({ failures: 1, lastOutcome: { code: 'lost' } })
    await fleet.expectNoAgents()
  },
)

test('after an agent kills everything named fleet, the next supervisor adopts the survivors and settles all runs', async () => {
  // Like `pkill -9 -f fleet`: the supervisor, its launcher and every wrapper, whose arguments name files of the home.
  const stub = stubAs('claude', [
    { claude: 'init' },
    { claude: 'tool', name: 'Bash', do: [{ waitFor: 'victims' }, { run: ['sh', '-c', 'kill -9 $(cat victims)'] }] },
    { waitFor: 'go' },
    WRITES_WORK,
    { fleet: ['done', 'all gone'] },
    { claude: 'result', text: 'all gone' },
  ])
  const fleet = await fleetHome(['pid_namespace=off'])
  const first = await fleet.supervise({ env: { PATH: stub.path } })
  const script = await fleet.script(UNTIL_GO)
  const agent = await fleet.script('Clean up', { coder: 'claude' })
  await started(fleet, 1)
  await eventually(() => stub.starts().length === 1, 'the agent is at work')
  // The ledger may learn of a process after its first output.
  const wrappers = [await leaderOf(fleet, script), await leaderOf(fleet, agent)]
  writeFileSync(join(fleet.project, 'victims'), [...launchersOf(first.pid), first.pid, ...wrappers].join(' '))
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await fleet.supervise({ env: { PATH: stub.path } })
  expect(fleet.log().filter(({ event }) => event === 'run-found')).toMatchObject([{ is: 'alive' }, { is: 'alive' }])
  fleet.touch('go')
  for (const id of [script, agent]) await fleet.becomes(id, 'closed')
  expect(fleet.runsOf(agent)).toMatchObject([{ attempt: 1, outcome: { code: 'done', text: 'all gone' } }])
  // The script's exit is unknown, so it runs again.
  expect(fleet.runsOf(script)).toMatchObject([{ outcome: { code: 'lost' } }, { outcome: { code: 'done' } }])
  expect(stub.starts()).toHaveLength(1)
  await fleet.expectNoAgents()
})

test.skipIf(!hasNamespace)('an agent in its own pid namespace cannot signal the supervisor', async () => {
  const fleet = await fleetHome(['pid_namespace=on'])
  const supervisor = await fleet.supervise()
  const id = await fleet.script(`kill -9 ${supervisor.pid} 2>/dev/null; echo "$?" >>ends`)
  await fleet.becomes(id, 'closed')
  expect(fleet.lines('ends')).toEqual(['1'])
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  await fleet.expectNoAgents()
})

test('a supervisor killed repeatedly during sixty short tasks loses none, starts none twice, and leaves no process', async () => {
  const fleet = await fleetHome(['max_concurrent=6', 'pid_namespace=auto'])
  const ids = await fleet.scripts(
    Array.from({ length: 60 }, (_, n) => `echo ${n} >>starts; sleep 0.${n % 4}; echo ${n} >>ends`),
  )
  let kills = 0
  const left = async (): Promise<boolean> => (await fleet.statuses()).some((status) => status !== 'closed')
  while (kills < 15 && (await left())) {
    const supervisor = await fleet.supervise({ wait: false })
    // Some kills hit before it holds the lock, some during work.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 700))
    supervisor.kill('SIGKILL')
    await supervisor.exited
    kills++
  }
  const last = await fleet.supervise()
  for (const id of ids) await fleet.becomes(id, 'closed')
  const numbers = ids.map((_, n) => String(n)).sort()
  expect([...fleet.lines('starts')].sort()).toEqual(numbers)
  expect([...fleet.lines('ends')].sort()).toEqual(numbers)
  last.kill('SIGTERM')
  expect(await last.exited).toEqual({ code: 0, signal: null })
  await fleet.expectNoAgents()
  expect(kills).toBeGreaterThan(3)
})

/** A process unrelated to fleet, in its own process group. */
function bystander(): number {
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid as number
}

/** `ps` rounds start times: two processes that start within a second or two and have the same pid look like one. */
async function untilOthersStartLater(pid: number): Promise<void> {
  const startOf = (pid: number) => processEntry(pid)?.startTime ?? ''
  const first = startOf(pid)
  await eventually(() => !isSameStart(startOf(bystander()), first), 'a new process has another start time')
}

/** Waits, because an agent may run before its process is recorded. */
async function leaderOf(fleet: FleetHome, id: string): Promise<number> {
  const pid = () => fleet.runsOf(id)[0]?.proc?.pid
  await eventually(() => pid() !== undefined, 'its process is known')
  return pid() as number
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
