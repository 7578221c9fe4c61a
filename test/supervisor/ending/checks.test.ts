import { expect, test } from 'vitest'
import type { CheckVerdict } from '../../../src/domain/run/check-result.ts'
import type { Receipt } from '../../../src/domain/run/receipt.ts'
import type { Check, CheckSubject } from '../../../src/ports/checks.ts'
import { eventually } from '../../support/home-run.ts'
import { type TestWorld, testWorld } from '../../support/world.ts'

/** A check that takes as long as the test wants. Each time it is run is one round. */
function slowCheck(name = 'slow') {
  const rounds: { subject: CheckSubject; signal: AbortSignal; end(verdict: CheckVerdict): void }[] = []
  const check: Check = {
    name,
    appliesTo: () => true,
    run: (subject, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
        rounds.push({ subject, signal, end: resolve })
      }),
  }
  return { check, rounds }
}

const always = (name: string, verdict: CheckVerdict): Check => ({
  name,
  appliesTo: () => true,
  run: async () => verdict,
})
const PASSED: CheckVerdict = { kind: 'passed' }

async function checkedWorld(...checks: readonly Check[]) {
  let settles = 0
  const made = await testWorld(
    (queue) => ({
      settle: async (claim, next) => {
        const settled = await queue.settle(claim, next)
        if (settled) settles++
        return settled
      },
    }),
    ({ policy }) => ({ checks, policy: () => ({ ...policy(), maxConcurrent: 1 }) }),
  )
  return { ...made, settles: () => settles }
}

function recorded({ world }: TestWorld, id: string, attempt = 1) {
  const receipt = JSON.parse(world.attempts.read(id, attempt, 'receipt.json') ?? '{}') as Partial<Receipt>
  return { receipt, run: world.ledger.runsOf(id)[attempt - 1] }
}

test('a run that is checked holds its slot, and the ledger says so', async () => {
  const { check, rounds } = slowCheck()
  const made = await checkedWorld(check)
  const { world, script, status, supervisor } = made
  const [id, other] = [await script('echo all done'), await script('true')] as const
  const one = supervisor()
  await one.start()
  await eventually(() => rounds.length === 1, 'it is checked')
  await eventually(() => world.ledger.openRunOf(id)?.phase === 'checking', 'the ledger says so')
  expect([one.running, await status(id), await status(other)]).toEqual([1, 'in_progress', 'open'])
  expect(rounds[0]?.subject).toMatchObject({ run: { task: id }, folder: world.attempts.folder(id, 1) })
  expect(recorded(made, id).receipt).toEqual({})
  rounds[0]?.end(PASSED)
  await eventually(async () => (await status(id)) === 'closed', 'it is closed')
  const { receipt, run } = recorded(made, id)
  const done = { code: 'done', text: 'all done' }
  expect([receipt.outcome, run?.outcome]).toEqual([done, done])
  expect(receipt.checks).toEqual([{ name: 'slow', verdict: 'passed', text: null }])
  await eventually(() => rounds.length === 2, 'the next has its slot')
  rounds[1]?.end(PASSED)
})

test('a run whose check waits frees its slot, and a supervisor with nothing else to do leaves it to the next one', async () => {
  const { check, rounds } = slowCheck()
  const made = await checkedWorld({ ...check, appliesTo: ({ run }) => run.title === 'A script' })
  const { world, store, script, status, supervisor } = made
  const id = await script('echo all done')
  const one = supervisor({ once: true })
  await one.start()
  await eventually(() => rounds.length === 1, 'it is checked')
  const metadata = (await store.queue.get(id))?.metadata ?? {}
  const next = await store.queue.create({ title: 'Another', description: 'true', metadata }, 'tester')
  rounds[0]?.subject.waits('its account is at a limit')
  expect(await one.finished).toEqual({ done: 1, blocked: 0, asked: false })
  expect([await status(next.id), await status(id)]).toEqual(['closed', 'in_progress'])
  expect(made.logged.filter(([event]) => event.startsWith('check'))).toMatchObject([
    ['check-waits', { task: id, why: 'its account is at a limit' }],
    ['checks-left-waiting', { runs: 1 }],
  ])
  const two = supervisor()
  await two.start()
  await eventually(() => rounds.length === 2, 'the next supervisor checks it')
  rounds[1]?.end(PASSED)
  await eventually(async () => (await status(id)) === 'closed', 'it is closed')
  expect(world.ledger.runsOf(id)).toHaveLength(1)
})

test('a run that is killed while it is checked is killed on its receipt and in the ledger, and its check is aborted', async () => {
  const { check, rounds } = slowCheck()
  const made = await checkedWorld(always('quick', PASSED), check)
  const { script, status, ask, supervisor } = made
  const id = await script('echo all done')
  const one = supervisor()
  await one.start()
  await eventually(() => rounds.length === 1, 'it is checked')
  const answer = ask('kill', id)
  one.wake()
  await eventually(() => answer() !== null, 'the person is answered')
  expect([answer(), rounds[0]?.signal.aborted]).toEqual(['stopped by anna', true])
  const { receipt, run } = recorded(made, id)
  const killed = { code: 'killed', text: 'stopped by anna', by: 'anna' }
  expect([receipt.outcome, run?.outcome, await status(id)]).toEqual([killed, killed, 'blocked'])
  expect(receipt.checks).toEqual([{ name: 'quick', verdict: 'passed', text: null }])
  expect(receipt.claim).toEqual({ how: 'exit', summary: 'all done' })
})

test('a kill while a run is checked survives a supervisor that dies before the check has ended', async () => {
  let hangs = true
  const check: Check = {
    name: 'deaf',
    appliesTo: () => true,
    run: () => (hangs ? new Promise(() => {}) : Promise.resolve(PASSED)),
  }
  const made = await checkedWorld(check)
  const { world, script, ask, supervisor } = made
  const id = await script('true')
  const one = supervisor()
  await one.start()
  await eventually(() => world.ledger.openRunOf(id)?.phase === 'checking', 'it is checked')
  ask('kill', id)
  one.wake()
  await eventually(() => world.ledger.openRunOf(id)?.phase === 'stopping', 'the ledger knows of the kill')
  one.keep({ force: true })
  hangs = false
  await supervisor({ claiming: false }).start()
  await eventually(() => world.ledger.openRunOf(id) === undefined, 'it is settled')
  const { receipt, run } = recorded(made, id)
  expect([receipt.outcome?.code, run?.outcome?.code]).toEqual(['killed', 'killed'])
})

test('the next supervisor runs the checks of a run again from the beginning, and settles it once', async () => {
  const { check, rounds } = slowCheck()
  const quick = { rounds: 0 }
  const first: Check = {
    name: 'quick',
    appliesTo: () => true,
    run: async () => {
      quick.rounds++
      return PASSED
    },
  }
  const made = await checkedWorld(first, check)
  const { world, script, status, supervisor, settles } = made
  const id = await script('echo all done')
  const one = supervisor()
  await one.start()
  await eventually(() => world.ledger.openRunOf(id)?.phase === 'checking', 'it is checked')
  await eventually(() => rounds.length === 1, 'slowly')
  one.keep()
  await one.finished
  expect(rounds[0]?.signal.aborted).toBe(true)
  await supervisor({ claiming: false }).start()
  await eventually(() => rounds.length === 2, 'it is checked again')
  expect([world.ledger.openRunOf(id)?.phase, await status(id), settles()]).toEqual(['checking', 'in_progress', 0])
  rounds[1]?.end(PASSED)
  await eventually(() => world.ledger.openRunOf(id) === undefined, 'it is settled')
  const { receipt, run } = recorded(made, id)
  expect([receipt.outcome?.code, run?.outcome?.code, await status(id)]).toEqual(['done', 'done', 'closed'])
  expect([settles(), quick.rounds, world.ledger.runsOf(id).length]).toEqual([1, 2, 1])
})

test('a restart of the machine while a run is checked loses nothing: its agent had ended before', async () => {
  const { check, rounds } = slowCheck()
  let restarted = false
  const { world, script, status, supervisor } = await testWorld(undefined, ({ agents }) => ({
    checks: [check],
    agents: { ...agents, look: (place) => (restarted ? { kind: 'machine-lost' } : agents.look(place)) },
  }))
  const id = await script('echo all done')
  const one = supervisor()
  await one.start()
  await eventually(() => world.ledger.openRunOf(id)?.phase === 'checking', 'it is checked')
  one.keep()
  restarted = true
  await supervisor({ claiming: false }).start()
  await eventually(() => rounds.length === 2, 'it is checked again')
  rounds[1]?.end(PASSED)
  await eventually(async () => (await status(id)) === 'closed', 'it is closed')
  expect(world.ledger.runsOf(id).map((run) => run.outcome?.code)).toEqual(['done'])
})

test('a stop of the supervisor aborts checks and leaves the task open', async () => {
  const { check, rounds } = slowCheck()
  const made = await checkedWorld(check)
  const { script, status, supervisor } = made
  const id = await script('true')
  const one = supervisor()
  await one.start()
  await eventually(() => rounds.length === 1, 'it is checked')
  one.stop({ by: 'SIGTERM' })
  await one.finished
  const { receipt, run } = recorded(made, id)
  expect([receipt.outcome?.code, run?.outcome?.code, await status(id)]).toEqual(['stopped', 'stopped', 'open'])
})

test('a check that fails decides the outcome, and the ones after it are not run', async () => {
  const failed: CheckVerdict = { kind: 'failed', outcome: { code: 'verify-failed', text: '2 tests fail' } }
  const needs: CheckVerdict = { kind: 'needs-person', text: 'it touches the licence' }
  const { check, rounds } = slowCheck()
  const made = await checkedWorld(always('scope', needs), always('verify', failed), check)
  const { world, script, supervisor } = made
  const id = await script('echo all done')
  await supervisor({ once: true }).start()
  await eventually(() => world.ledger.runsOf(id)[0]?.phase === 'settled', 'it is settled')
  const { receipt, run } = recorded(made, id)
  expect([receipt.outcome, run?.outcome]).toEqual([failed.outcome, failed.outcome])
  expect(receipt.checks).toEqual([
    { name: 'scope', verdict: 'needs-person', text: 'it touches the licence' },
    { name: 'verify', verdict: 'failed', text: '2 tests fail' },
  ])
  expect([world.ledger.stateOf(id).failures, rounds.length]).toEqual([1, 0])
})

test('a check that needs a person leaves the task for review', async () => {
  const made = await checkedWorld(always('scope', { kind: 'needs-person', text: 'it touches the licence' }))
  const { store, script, status, supervisor } = made
  const id = await script('true')
  await supervisor().start()
  await eventually(async () => (await status(id)) === 'blocked', 'it is blocked')
  const { receipt, run } = recorded(made, id)
  const outcome = { code: 'needs-review', text: 'it touches the licence' }
  expect([receipt.outcome, run?.outcome]).toEqual([outcome, outcome])
  expect((await store.queue.get(id))?.labels).toEqual(['needs-review'])
})

test('a check that throws is run again, and those that passed before it are not', async () => {
  const rounds = { passed: 0, thrown: 0 }
  const passes: Check = {
    name: 'first',
    appliesTo: () => true,
    run: async () => {
      rounds.passed++
      return PASSED
    },
  }
  const throwsOnce: Check = {
    name: 'second',
    appliesTo: () => true,
    run: async () => {
      if (rounds.thrown++ === 0) throw new Error('no process can be started')
      return PASSED
    },
  }
  const made = await checkedWorld(passes, throwsOnce)
  const id = await made.script('true')
  await made.supervisor().start()
  await eventually(async () => (await made.status(id)) === 'closed', 'it is closed')
  expect(rounds).toEqual({ passed: 1, thrown: 2 })
})

test('a run that did not do its work is not checked', async () => {
  const { check, rounds } = slowCheck()
  const made = await checkedWorld(check)
  const id = await made.script('exit 3')
  await made.supervisor({ once: true }).start()
  await eventually(() => made.world.ledger.runsOf(id)[0]?.phase === 'settled', 'it is settled')
  expect([rounds.length, recorded(made, id).run?.outcome?.code]).toEqual([0, 'error'])
  expect(recorded(made, id).receipt).not.toHaveProperty('checks')
})

test('without checks the ledger is never told of any', async () => {
  const told: string[] = []
  const { script, status, supervisor } = await testWorld(undefined, ({ ledger }) => ({
    ledger: new Proxy(ledger, {
      get(target, name) {
        if (typeof name === 'string') told.push(name)
        const value = target[name as keyof typeof target] as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
  }))
  const id = await script('true')
  await supervisor().start()
  await eventually(async () => (await status(id)) === 'closed', 'it is closed')
  expect(told).toContain('ended')
  expect(told).not.toContain('checking')
  expect(told).not.toContain('stopping')
})
