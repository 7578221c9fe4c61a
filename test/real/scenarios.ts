import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findProgram } from '../../src/platform/process/program.ts'
import type { RealCoder } from './coders/real-coder.ts'
import type { FleetWithCoder } from './fleet-with-coder.ts'
import { BAD_KEY } from './model/server.ts'
import { breakOff, calls, hang, hangUntil, hold, limit, overload, says, type Turn, USUAL } from './model/turns.ts'
import { marked, until } from './processes.ts'
import { LEAVES_SCOPE } from './scope.ts'

/** One sentence about fleet that holds for every coder. */
export interface Scenario {
  readonly title: string
  /** Settings for runtime.toml. */
  readonly config?: readonly string[]
  /** Absent: it holds for every coder. */
  holdsFor?(coder: RealCoder): boolean
  play(fleet: FleetWithCoder): Promise<void>
}

/** The longest waits come first, so that the others run meanwhile. */
export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'a usage limit pauses the lane until its reset and costs no attempt; then the session is resumed, once',
    async play(fleet) {
      const { resets, silentIn } = fleet.coder
      const isReported = resets === 'reported'
      const [first, ...rest] = work(fleet)
      const turns = [first as Turn, limit(isReported ? 61 : 3600), ...rest]
      const { id, talk } = await fleet.create('Work on a limited account', turns)
      fleet.start()
      if (silentIn.includes('usage-limit')) await fleet.endSilentRetry(id, 'limit reached')
      const { endedAt } = await fleet.ended(id)
      expect(fleet.runs(id).map(({ outcome }) => outcome)).toMatchObject([{ code: 'usage-limit' }])
      const { until: opens, code } = await fleet.lane('paused')
      const { refused } = talk
      expect(code).toBe('usage-limit')
      RESETS[resets]({ opens: opens as number, endedAt: endedAt as number, resetsAt: talk.resetsAt as number })
      expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0, waitingUntil: opens })
      if (!isReported) {
        talk.proceed()
        await fleet.endPause(id)
      }
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['usage-limit', 'done'])
      expect(sessions(fleet, id).size).toBe(1)
      if (isReported) expect(fleet.runs(id)[1]?.startedAt).toBeGreaterThanOrEqual(opens as number)
      expect(talk.refused).toBe(refused)
      expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
    },
  },
  {
    title: 'an overloaded provider pauses the lane and costs no attempt; then the session is resumed',
    async play(fleet) {
      const [first, ...rest] = work(fleet)
      const { id, talk } = await fleet.create('Work in the rush hour', [first as Turn, overload, ...rest])
      fleet.start()
      if (fleet.coder.silentIn.includes('overload')) await fleet.endSilentRetry(id, 'verloaded')
      await fleet.ended(id)
      expect(await fleet.lane('paused')).toMatchObject({ code: 'overload' })
      expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
      talk.proceed()
      // Half a minute. That a lane opens by itself is shown by the limits whose reset is reported.
      await fleet.endPause(id)
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['overload', 'done'])
      expect(sessions(fleet, id).size).toBe(1)
      expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
    },
  },
  {
    title: 'a bad key takes the lane down with one alert; its tasks wait unchanged, other lanes keep running',
    config: ['max_concurrent=2'],
    async play(fleet) {
      await fleet.reconfigure({ [fleet.coder.key]: BAD_KEY })
      const { id } = await fleet.create('Work without a login', work(fleet))
      fleet.start()
      expect(await fleet.lane('down')).toMatchObject({ code: 'login' })
      await fleet.ended(id)
      const { id: later } = await fleet.create('Come too late', work(fleet, 'too.txt'))
      await fleet.settled(await fleet.createScript('On another lane', 'true'), 'closed')
      for (const each of [id, later]) expect(await fleet.task(each)).toMatchObject({ status: 'open', assignee: '' })
      expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 1, failures: 0 })
      expect(fleet.ledger.stateOf(later)).toMatchObject({ attempts: 0, failures: 0 })
      expect(fleet.log().filter(({ event }) => event === 'lane-down')).toHaveLength(1)
      await fleet.reconfigure({})
      for (const each of [id, later]) await fleet.settled(each, 'closed')
    },
  },
  {
    title: 'a claim without work goes back to the agent with the evidence, and its task is blocked at max_attempts',
    config: ['max_attempts=2'],
    async play(fleet) {
      const boast = [calls(fleet.coder.shell('fleet done "All 12 tests pass"')), says('All 12 tests pass.')]
      const { id, talk } = await fleet.create('Boast', [...boast, ...boast])
      fleet.start()
      const { notes } = await fleet.settled(id, 'blocked')
      expect(notes).toContain(
        '2 attempts failed; last: no progress in two attempts: claimed done with 0 tool calls, 0 files changed',
      )
      expect(outcomes(fleet, id)).toEqual(['no-evidence', 'no-progress'])
      expect(sessions(fleet, id).size).toBe(1)
      expect(talk.lacks(3, 'claimed done with 0 tool calls, 0 files changed')).toEqual([])
    },
  },
  {
    title: 'an answer that breaks off is requested again, and costs no attempt',
    async play(fleet) {
      const [first, ...rest] = work(fleet)
      const turns = [first as Turn, breakOff('Now I will say that it is'), ...rest]
      const { id } = await fleet.create('Work over a bad line', turns)
      fleet.start()
      await fleet.settled(id, 'closed')
      expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
    },
  },
  {
    title: 'a run whose model falls silent is stopped, and its session is resumed once',
    async play(fleet) {
      const [first, ...rest] = work(fleet)
      const { id, talk } = await fleet.create('Work with a silent model', [first as Turn, hang, ...rest])
      fleet.start()
      await fleet.asked(talk, 2)
      // Short only here: the steps before and after may be slow on a busy machine.
      await fleet.fleet('config', 'set', 'timeouts.idle=3s')
      const { outcome } = await fleet.ended(id)
      await fleet.fleet('config', 'set', 'timeouts.idle=10m')
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['stalled', 'done'])
      expect(sessions(fleet, id).size).toBe(1)
      expect(outcome?.stall).toEqual({ cause: 'first-token', evidence: expect.arrayContaining(['no tool open']) })
      expect(talk.lacks(3, 'the model never began to answer')).toEqual([])
      expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 2, failures: 0 })
    },
  },
  {
    title: 'a question frees the slot; its answer resumes the session, in the prompt',
    async play(fleet) {
      const asks = [calls(fleet.coder.shell('fleet ask "Tabs or spaces?"')), says('I wait for the answer.')]
      const { id, talk } = await fleet.create('Ask first', [...asks, ...work(fleet)])
      fleet.start()
      expect(await fleet.settled(id, 'blocked')).toMatchObject({ notes: 'QUESTION: Tabs or spaces?' })
      expect(fleet.ledger.openRuns()).toEqual([])
      await fleet.fleet('answer', id, 'Spaces, two of them')
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['question', 'done'])
      expect(sessions(fleet, id).size).toBe(1)
      // The first request of the second attempt has the earlier conversation and the answer.
      expect(talk.lacks(3, 'I wait for the answer.', 'Q: Tabs or spaces?\nA: Spaces, two of them')).toEqual([])
    },
  },
  {
    title: 'a full context is handed over: a fresh session continues from the artifacts',
    async play(fleet) {
      const { coder } = fleet
      const plan = calls(coder.shell('echo "half of it is done" >"$FLEET_ARTIFACT_DIR/PLAN_AND_STATUS.md"'))
      // Below the level at which the coders summarize by themselves; gemini would, but only with its next request.
      const full = { ...USUAL, cacheRead: Math.round(coder.window * 0.92) }
      const { id, talk } = await fleet.create('Fill the context', [
        plan,
        calls(coder.shell('true'), full),
        // Some coders report usage with the answer, some after its tools: the next request may or may not come.
        hangUntil('This is attempt 2'),
        ...work(fleet),
      ])
      fleet.start()
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['context-full', 'done'])
      expect(sessions(fleet, id).size).toBe(2)
      const first = talk.told.findIndex((told) => told.includes('This is attempt 2')) + 1
      expect(talk.lacks(first, 'half of it is done')).toEqual(['half of it is done'])
      expect(fleet.text(id, 'artifacts', 'PLAN_AND_STATUS.md')).toBe('half of it is done\n')
      expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0, handOvers: 1 })
    },
  },
  {
    title: 'in a sandbox it works with its session and the commands of fleet, and changes nothing outside',
    config: ['sandbox=required'],
    holdsFor: () => findProgram('bwrap', process.env) !== undefined,
    async play(fleet) {
      const { coder, project } = fleet
      const outside = `${project}-outside`
      const tries = `echo a >'${outside}'; fleet bd show "$FLEET_TASK_ID" --short >seen.txt; cat "$FLEET_HOME/fleet.db" >store.txt`
      const asks = [calls(coder.shell(tries)), calls(coder.shell('fleet ask "Go on?"')), says('I wait for the answer.')]
      const { id, talk } = await fleet.create('Work in a sandbox', [...asks, ...work(fleet)])
      fleet.start()
      await fleet.settled(id, 'blocked')
      await fleet.fleet('answer', id, 'Yes, go on')
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['question', 'done'])
      expect(sessions(fleet, id).size).toBe(1)
      expect(talk.lacks(4, 'Yes, go on')).toEqual([])
      expect(existsSync(outside)).toBe(false)
      expect(readFileSync(join(project, 'seen.txt'), 'utf8')).toContain('Work in a sandbox')
      expect(readFileSync(join(project, 'store.txt'), 'utf8')).toBe('')
      expect(fleet.receipt(id).given).toMatchObject({ sandbox: { mode: 'required', network: 'on' } })
    },
  },
  {
    title: '`fleet kill` in the middle of a tool leaves no process',
    async play(fleet) {
      const { id } = await fleet.create('Run for ever', [calls(fleet.coder.shell(`touch busy; ${BUSY}`))])
      fleet.start()
      await until(
        () => existsSync(join(fleet.project, 'busy')),
        () => 'the tool runs',
      )
      const run = fleet.runs(id)[0]?.id as string
      expect(marked('FLEET_RUN_ID', run).length).toBeGreaterThan(1)
      expect(await fleet.fleet('kill', id)).toContain(`${id}: stopped by tester`)
      expect(marked('FLEET_RUN_ID', run)).toEqual([])
      expect(await fleet.settled(id, 'blocked')).toMatchObject({ notes: 'stopped by tester' })
      expect(outcomes(fleet, id)).toEqual(['killed'])
    },
  },
  {
    title:
      'a message reaches an agent at work before its next tool and at the end of its turn, beside the hooks of the user',
    holdsFor: ({ hooks }) => hooks !== undefined,
    async play(fleet) {
      const { coder, project } = fleet
      const [called, untrusted] = [`${project}-called`, `${project}-untrusted`]
      const { path = '', text = '' } =
        coder.hooks?.ofUser(`touch '${called}'`, `touch '${untrusted}'`, fleet.userHome) ?? {}
      fleet.addToHome(path, text)
      const [write, claim, end] = work(fleet) as [Turn, Turn, Turn]
      const turns = [calls(coder.shell('true')), hold, write, claim, hold, end, says('I have read both.')]
      const { id, talk } = await fleet.create('Work and listen', turns)
      fleet.start()
      await fleet.asked(talk, 2)
      await fleet.fleet('tell', id, 'Use "the $new" name')
      await fleet.handedOver(id, 1)
      talk.proceed()
      await fleet.asked(talk, 4)
      await fleet.fleet('tell', id, 'And the old one, too')
      await fleet.handedOver(id, 2)
      talk.proceed()
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['done'])
      expect(talk.lacks(3, 'A message for you from tester', 'Use "the $new" name')).toEqual([])
      expect(talk.lacks(5, 'And the old one, too')).toEqual([])
      const [first, second] = fleet.ledger.messages.of(id)
      expect(first?.delivery).toMatchObject({ how: 'hook', before: expect.stringMatching(/./) })
      expect(second?.delivery).toMatchObject({ how: 'hook', before: null })
      expect([existsSync(called), existsSync(untrusted)]).toEqual([true, false])
    },
  },
  LEAVES_SCOPE,
  {
    title: '`fleet tell --now` interrupts the turn, and the session goes on with the message',
    async play(fleet) {
      const [first, ...rest] = work(fleet)
      const { id, talk } = await fleet.create('Be interrupted', [first as Turn, hang, ...rest])
      fleet.start()
      await fleet.asked(talk, 2)
      expect(await fleet.fleet('tell', id, '--now', 'Do only this')).toContain('interrupted for a message by tester')
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['told', 'done'])
      expect(sessions(fleet, id).size).toBe(1)
      expect(talk.lacks(3, 'Do only this')).toEqual([])
      expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
    },
  },
  {
    title: 'a message that was read before a tool that was interrupted is known to the session that goes on',
    holdsFor: ({ hooks }) => hooks !== undefined,
    async play(fleet) {
      const busy = calls(fleet.coder.shell(`touch busy; ${BUSY}`))
      const { id, talk } = await fleet.create('Be told twice', [hold, busy, ...work(fleet)])
      fleet.start()
      await fleet.asked(talk, 1)
      await fleet.fleet('tell', id, 'Use the new name')
      await fleet.handedOver(id, 1)
      talk.proceed()
      await until(
        () => existsSync(join(fleet.project, 'busy')),
        () => 'the tool runs',
      )
      await fleet.fleet('tell', id, '--now', 'Do not wait for that')
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['told', 'done'])
      expect(fleet.ledger.messages.of(id).map(({ delivery }) => delivery?.how)).toEqual(['prompt', 'prompt'])
      expect(talk.lacks(2, 'Use the new name', 'Do not wait for that')).toEqual([])
    },
  },
  {
    title: 'a reviewer sees the work, writes nothing, and starts none of the MCP servers of the user',
    holdsFor: ({ mcpServer }) => mcpServer !== undefined,
    async play(fleet) {
      const { coder, project } = fleet
      const [started, written] = [`${project}-server`, join(project, 'by-the-reviewer.txt')]
      const { path = '', text = '' } = coder.mcpServer?.(`touch '${started}'; exit 1`) ?? {}
      fleet.addToHome(path, text)
      await fleet.fleet('config', 'set', `projects.${project}.review_by=${coder.name}`)
      const review = fleet.model.script('Review the work on task', [
        calls(coder.shell(`touch '${written}'`)),
        says('It does what it says.\n{"verdict": "pass", "reasons": []}'),
      ])
      // An agent has the user's servers.
      const waits = `while [ ! -e '${started}' ]; do sleep 0.1; done; rm '${started}'`
      const { id } = await fleet.create('Work under review', [calls(coder.shell(waits)), ...work(fleet)])
      fleet.start()
      await fleet.settled(id, 'closed')
      expect(fleet.receipt(id)).toMatchObject({ checks: [{ name: 'review', verdict: 'passed' }], warnings: [] })
      expect(review.lacks(1, 'made.txt', '> +made')).toEqual([])
      expect([existsSync(started), existsSync(written)]).toEqual([false, false])
    },
  },
  {
    title: 'after a supervisor is killed in the middle of a turn, the next one adopts the agent',
    async play(fleet) {
      const { id, talk } = await fleet.create('Outlive the supervisor', [hold, ...work(fleet)])
      fleet.start()
      await fleet.asked(talk, 1)
      const [before] = fleet.runs(id)
      await fleet.end('SIGKILL')
      fleet.start()
      await until(
        () => fleet.log().some(({ event, adopted }) => event === 'supervisor-started' && adopted === 1),
        () => 'the agent is adopted',
      )
      talk.proceed()
      await fleet.settled(id, 'closed')
      expect(outcomes(fleet, id)).toEqual(['done'])
      expect(fleet.runs(id)[0]?.proc).toEqual(before?.proc)
      expect(talk.told).toHaveLength(3)
    },
  },
]

interface Limit {
  /** When the lane's pause ends. */
  readonly opens: number
  readonly endedAt: number
  /** As the model reported it. */
  readonly resetsAt: number
}

const MINUTE = 60_000

/** When the lane's pause must end, by what the coder reports about the reset. */
const RESETS: Readonly<Record<RealCoder['resets'], (limit: Limit) => void>> = {
  reported({ opens, resetsAt }) {
    expect(opens).toBeGreaterThanOrEqual(resetsAt)
    expect(opens).toBeLessThan(resetsAt + MINUTE)
  },
  unreported({ opens, endedAt }) {
    expect(Math.abs(opens - (endedAt + 30 * MINUTE))).toBeLessThan(MINUTE)
  },
  midnight({ opens, endedAt }) {
    const clock = new Intl.DateTimeFormat('en', {
      timeZone: 'America/Los_Angeles',
      timeStyle: 'short',
      hourCycle: 'h23',
    })
    expect(clock.format(opens)).toBe('00:00')
    expect(opens - endedAt).toBeLessThan(25 * 60 * MINUTE)
  },
}

/** A command that ends when it is killed. */
const BUSY = 'while :; do sleep 1; done'

/** Work with evidence, and a claim. */
function work({ coder, project }: FleetWithCoder, file = 'made.txt'): readonly Turn[] {
  return [
    calls(coder.write(join(project, file), 'made\n')),
    calls(coder.shell(`fleet done "Wrote ${file}"`)),
    says('Done.'),
  ]
}

function outcomes(fleet: FleetWithCoder, id: string): readonly (string | undefined)[] {
  return fleet.runs(id).map(({ outcome }) => outcome?.code)
}

function sessions(fleet: FleetWithCoder, id: string): ReadonlySet<string | null> {
  return new Set(fleet.runs(id).map(({ figures }) => figures.session))
}
