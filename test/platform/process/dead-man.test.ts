import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Guard } from '../../../src/platform/process/dead-man/guard.ts'
import { apply, dueOf, encode, linesOf } from '../../../src/platform/process/dead-man/message.ts'
import { type GuardedRun, SWITCH_RECORD } from '../../../src/ports/dead-man.ts'
import { eventually, hasNamespace, place, startScript, type TestRun } from '../../support/agents.ts'
import { FLEET, temporaryFolder } from '../../support/cli.ts'

/** A guard with a clock that the test moves. */
function guarding(run: TestRun | ReturnType<typeof place>, more: Partial<GuardedRun> = {}) {
  const time = { now: 0 }
  const guard = new Guard({ agents: run.agents, now: () => time.now })
  const { run: id, folder, proc } = run
  const entry: GuardedRun = { run: id, folder, proc, leaseMs: 10_000, terminateAt: 500, killAt: 1000, ...more }
  guard.take({ n: 1, all: true, runs: [entry], ended: [] })
  const isGone = (): boolean => {
    guard.endDue()
    return guard.isEmpty
  }
  const record = () => JSON.parse(readFileSync(join(folder, SWITCH_RECORD), 'utf8'))
  return { time, guard, entry, isGone, record }
}

const DEAF = `trap '' TERM; echo up; while :; do sleep 0.05; done`

for (const namespace of [false, true]) {
  test.skipIf(namespace && !hasNamespace)(
    `a run is asked to end at the first time and killed at the second${namespace ? ', in a namespace' : ''}`,
    async () => {
      const run = await startScript(DEAF, { namespace })
      await eventually(() => run.text('stdout.jsonl').includes('up'), 'it runs')
      const { time, guard, isGone, record } = guarding(run)
      guard.endDue()
      expect(existsSync(join(run.folder, SWITCH_RECORD))).toBe(false)
      time.now = 500
      guard.endDue()
      expect(record()).toMatchObject({ run: run.run, lease_ms: 10_000 })
      expect(run.agents.look(run).kind).toBe('alive')
      time.now = 1000
      await eventually(isGone, 'it is gone')
      expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
    },
  )
}

test('a run that was renewed in time is left alone', async () => {
  const run = await startScript(DEAF)
  const { time, guard, entry } = guarding(run)
  time.now = 400
  guard.take({ n: 2, all: true, runs: [{ ...entry, terminateAt: 10_000, killAt: 11_000 }], ended: [] })
  time.now = 5000
  guard.endDue()
  expect(guard.isEmpty).toBe(false)
  expect(existsSync(join(run.folder, SWITCH_RECORD))).toBe(false)
  expect(run.agents.look(run).kind).toBe('alive')
})

test('a run whose process the switch was never told is found and ended', async () => {
  const run = await startScript(DEAF)
  const { time, isGone } = guarding(run, { proc: null })
  time.now = 1000
  await eventually(isGone, 'it is gone')
  expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
})

test('a run that was not started can start no more once its time is over', () => {
  const run = place()
  const { time, isGone } = guarding(run)
  time.now = 500
  expect(isGone()).toBe(true)
  expect(run.agents.look(run)).toEqual({ kind: 'never-started' })
  expect(readFileSync(join(run.folder, 'exit.json.pid'), 'utf8')).toBe('forbidden\n')
})

test('a run that ended by itself gets no record', async () => {
  const run = await startScript('exit 3')
  await run.ended
  const { time, isGone } = guarding(run)
  time.now = 1000
  await eventually(isGone, 'it is forgotten')
  expect(existsSync(join(run.folder, SWITCH_RECORD))).toBe(false)
})

test.each([
  ['removed', (folder: string) => rmSync(folder, { recursive: true })],
  ['made unwritable', (folder: string) => chmodSync(folder, 0o000)],
  ['replaced by a file', (folder: string) => [rmSync(folder, { recursive: true }), writeFileSync(folder, '')]],
])('an agent is ended although its folder was %s', async (_, damage) => {
  const run = await startScript(DEAF)
  await eventually(() => run.text('stdout.jsonl').includes('up'), 'it runs')
  const { time, guard } = guarding(run)
  damage(run.folder)
  guard.forgetEnded()
  expect(guard.isEmpty).toBe(false)
  time.now = 1000
  const isEnded = (): boolean => {
    guard.endDue()
    return !run.agents.groupAlive(run)
  }
  await eventually(isEnded, 'it is gone')
})

// ---- the process itself ----

/** The built switch, with a clock that the test can move forward as a suspend does. */
function startSwitch(): { child: ChildProcess; sleepFor(ms: number): void; say(...runs: GuardedRun[]): Promise<void> } {
  const folder = temporaryFolder()
  const [asleep, preload] = [join(folder, 'asleep'), join(folder, 'asleep.cjs')]
  writeFileSync(asleep, '0')
  const shift = `require('node:fs').readFileSync(${JSON.stringify(asleep)}, 'utf8') / 1000`
  writeFileSync(
    preload,
    `const os = require('node:os'); const { uptime } = os; os.uptime = () => uptime() + ${shift}\n`,
  )
  const file = join(FLEET, '../dead-man.cjs')
  const child = spawn(process.execPath, ['--require', preload, file, folder], { stdio: ['pipe', 'pipe', 'pipe'] })
  // It says nothing, whatever happens: nobody would read it.
  child.stderr?.on('data', (text) => expect.unreachable(String(text)))
  onTestFinished(() => void child.kill('SIGKILL'))
  let n = 0
  return {
    child,
    sleepFor: (ms) => writeFileSync(asleep, String(ms)),
    async say(...runs) {
      const answered = once(child.stdout as NodeJS.ReadableStream, 'data')
      child.stdin?.write(encode({ n: ++n, all: true, runs, ended: [] }))
      expect(String(await answered)).toBe(`${n}\n`)
    },
  }
}

const now = () => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000

test.skipIf(process.platform !== 'linux')('after a suspend longer than its lease, a run is ended at once', async () => {
  const run = await startScript(DEAF)
  const { child, sleepFor, say } = startSwitch()
  const { run: id, folder, proc } = run
  await say({ run: id, folder, proc, leaseMs: 120_000, terminateAt: now() + 100_000, killAt: now() + 110_000 })
  expect(run.agents.look(run).kind).toBe('alive')
  sleepFor(3_600_000)
  await eventually(() => run.agents.look(run).kind === 'gone', 'it is gone')
  child.stdin?.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('it survives signals while it has a supervisor, and ends without one when it has no run or is told so', async () => {
  const { child, say } = startSwitch()
  await say()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) child.kill(signal)
  const run = await startScript(DEAF)
  const { run: id, folder, proc } = run
  const late = now() + 100_000
  await say({ run: id, folder, proc, leaseMs: 120_000, terminateAt: late, killAt: late })
  const exited = once(child, 'exit')
  child.stdin?.end()
  await eventually(() => child.kill('SIGTERM') === false || child.exitCode !== null, 'it has ended')
  expect(await exited).toEqual([0, null])
  expect(run.agents.look(run).kind).toBe('alive')
})

test('without a supervisor it ends when its last run has ended by itself', async () => {
  const { child, say } = startSwitch()
  const run = await startScript('until [ -e go ]; do sleep 0.05; done')
  const { run: id, folder, proc } = run
  const late = now() + 100_000
  await say({ run: id, folder, proc, leaseMs: 120_000, terminateAt: late, killAt: late })
  const exited = once(child, 'exit')
  child.stdin?.end()
  writeFileSync(join(run.folder, 'go'), '')
  expect(await exited).toEqual([0, null])
  expect(existsSync(join(run.folder, SWITCH_RECORD))).toBe(false)
})

// ---- messages ----

const runs = fc.record({
  run: fc.constantFrom('a', 'b', 'c', 'd'),
  folder: fc.string(),
  proc: fc.constant(null),
  leaseMs: fc.nat(),
  terminateAt: fc.nat(1000),
  killAt: fc.nat(1000),
})
const messages = fc.array(
  fc.record({
    n: fc.nat(),
    all: fc.boolean(),
    runs: fc.array(runs),
    ended: fc.array(fc.constantFrom('a', 'b', 'c', 'd')),
  }),
)

test('the switch knows what was last said of each run, however the messages are cut into pieces', () => {
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 50 }), (said, size) => {
      const text = said.map(encode).join('')
      const known = new Map<string, GuardedRun>()
      let rest = ''
      for (let at = 0; at < text.length; at += size) {
        const read = linesOf(rest + text.slice(at, at + size))
        rest = read.rest
        for (const line of read.lines) apply(JSON.parse(line), known)
      }
      const from = said.findLastIndex(({ all }) => all)
      const expected = new Map<string, GuardedRun>()
      for (const { runs, ended } of said.slice(Math.max(from, 0))) {
        for (const run of ended) expected.delete(run)
        for (const run of runs) expected.set(run.run, run)
      }
      expect(rest).toBe('')
      expect(known).toEqual(expected)
    }),
  )
})

test('a run is due from its times on, and never less so later', () => {
  const order = ['nothing', 'terminate', 'kill']
  fc.assert(
    fc.property(runs, fc.nat(2000), fc.nat(2000), (run, first, later) => {
      const [a, b] = [dueOf(run, first), dueOf(run, first + later)]
      expect(order.indexOf(b)).toBeGreaterThanOrEqual(order.indexOf(a))
      expect(a === 'kill').toBe(first >= run.killAt)
    }),
  )
})
