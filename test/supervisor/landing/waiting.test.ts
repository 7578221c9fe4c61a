import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type LandingWait, waitOf } from '../../../src/domain/landing/landing.ts'
import { receiptText } from '../../../src/domain/run/receipt.ts'
import type { CommandTry } from '../../../src/domain/verify/verification.ts'
import { AppError } from '../../../src/errors.ts'
import type { Verification } from '../../../src/ports/verifier.ts'
import { eventually } from '../../support/home-run.ts'
import { landingWorld } from '../../support/landing-world.ts'

const PASSED: Verification = { kind: 'passed', text: '', commands: [] }
const tried = (command: string, code: number): CommandTry => ({
  ...{ name: 'verify', command, end: { kind: 'exited', code }, ms: 5, log: '/l', leftovers: 0 },
  ...{ failing: code === 0 ? '' : 'no rule', tail: '' },
})
const PASSED_BY_MAKE: Verification = { kind: 'passed', text: '', commands: [tried('make', 0)] }
const RED = { kind: 'failed', text: 'verify (sh check.sh) ended with exit status 1', commands: [] } as const

test('what has passed is not built and checked again while it waits for a person, unless something has changed', async () => {
  const checked: string[] = []
  let command = 'make'
  const it = await landingWorld(
    async (subject) => {
      checked.push(subject)
      return PASSED
    },
    { keyOf: () => command },
  )
  const inTheWay = join(it.repository, 'work.txt')
  writeFileSync(inTheWay, 'a person has it\n')
  const one = it.supervisor()
  await one.start()
  const waits = (): LandingWait | undefined => {
    const landing = it.newest()
    return landing && waitOf(landing)
  }
  const triedAgain = async (): Promise<void> => {
    const before = waits()?.until
    it.later(120_000)
    one.wake()
    // While it is tried, it waits for nothing.
    await eventually(() => ![undefined, before].includes(waits()?.until), 'it is tried again, and waits again')
  }
  await eventually(() => waits() !== undefined, 'it waits')
  for (let tries = 0; tries < 3; tries++) await triedAgain()
  expect([checked.length, waits()]).toEqual([
    1,
    { why: expect.stringContaining('would overwrite: work.txt'), until: expect.any(Number), tries: 3 },
  ])
  const { home } = it.world
  expect(existsSync(join(home, 'landing', it.id))).toBe(false)
  command = 'make test'
  await triedAgain()
  it.git('commit', '-q', '--allow-empty', '-m', 'Meanwhile')
  await triedAgain()
  expect(checked.length).toBe(3)
  rmSync(inTheWay)
  it.later(120_000)
  one.wake()
  await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
  expect([checked.length, it.subjects()]).toEqual([3, ['Work', 'Meanwhile', 'First']])
})

test.each([
  ['bounce', RED, { failures: 1, code: 'verify-failed', status: 'open' }],
  ['landing', PASSED, { failures: 0, code: 'needs-landing', status: 'closed' }],
])(
  'a supervisor that dies before the queue has heard of a %s: the next one tells it, once',
  async (_, verdict, told) => {
    let isAway = true
    const it = await landingWorld(async () => verdict, {
      queue: (queue) => ({
        settleBlocked: (...words) => (isAway ? new Promise(() => {}) : queue.settleBlocked(...words)),
        // The next attempt is none of this.
        claim: (want) => (it.newest() === undefined ? queue.claim(want) : Promise.resolve([])),
      }),
    })
    const one = it.supervisor()
    await one.start()
    await eventually(() => it.newest()?.state.at === 'settling', 'it is decided')
    one.keep({ force: true })
    isAway = false
    await it.supervisor().start()
    await eventually(() => it.newest()?.state.at === 'over', 'it is told')
    const { failures, lastOutcome } = it.store.ledger.stateOf(it.id)
    expect({ failures, code: lastOutcome?.code, status: await it.status(it.id) }).toEqual(told)
  },
)

test.each([
  ['passes', PASSED_BY_MAKE, { result: 'landed', commit: expect.stringMatching(/^[0-9a-f]{40}$/) }],
  [
    'fails',
    { ...PASSED_BY_MAKE, ...RED, commands: [tried('make', 2)] },
    {
      result: 'returned',
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      outcome: { code: 'verify-failed', text: expect.stringContaining('not together with what is on main by now') },
    },
  ],
])(
  'the receipt of its run tells of a landing whose check %s, in the ledger and in its file',
  async (_, verdict, told) => {
    const it = await landingWorld(async () => verdict, {
      queue: (queue) => ({ claim: (want) => (it.newest() === undefined ? queue.claim(want) : Promise.resolve([])) }),
    })
    await it.supervisor().start()
    await eventually(() => it.newest()?.state.at === 'over', 'it is over')
    const [run] = it.store.ledger.runsOf(it.id)
    const receipt = run && it.store.ledger.recordsOf(run.id).receipt
    const isGood = told.result === 'landed'
    expect(receipt?.landing).toEqual({
      ...told,
      ...{ at: expect.any(String), target: 'main', how: 'as-it-is', bounces: 0 },
      ...(isGood && { from: expect.stringMatching(/^[0-9a-f]{40}$/) }),
      check: {
        ...{ name: 'verify', verdict: isGood ? 'passed' : 'failed', text: isGood ? null : RED.text },
        commands: [expect.objectContaining({ command: 'make', exit: isGood ? 0 : 2, end: 'exited' })],
      },
    })
    expect(it.world.attempts.read(it.id, 1, 'receipt.json')).toBe(receipt && receiptText(receipt))
  },
)

test('a full disk during a check is waited for, and the check goes on in the same tree', async () => {
  const checked: string[] = []
  const it = await landingWorld(async (subject) => {
    checked.push(subject)
    if (checked.length === 1) throw new AppError('failed', '/home/output.log could not be written: the disk is full')
    return PASSED
  })
  const one = it.supervisor()
  await one.start()
  await eventually(() => JSON.stringify(it.newest()?.state ?? '').includes('the disk is full'), 'it waits')
  expect(it.newest()?.state.at).toBe('checking')
  it.later(120_000)
  await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
  expect([checked.length, new Set(checked).size]).toEqual([2, 1])
})

test('a receipt that cannot be written holds up neither the landing nor the ledger', async () => {
  const it = await landingWorld(async () => PASSED)
  const { attempts } = it.world
  const replace = attempts.replace.bind(attempts)
  let asked = 0
  attempts.replace = (task, attempt, name, text) => {
    if (it.newest() === undefined || name !== 'receipt.json') return replace(task, attempt, name, text)
    // Another process writes to the ledger meanwhile.
    it.ask('pause-task', 'fleet-none')
    asked++
    throw new AppError('failed', `${name} could not be written: permission denied`)
  }
  await it.supervisor().start()
  await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
  const [run] = it.store.ledger.runsOf(it.id)
  const receipt = run && it.store.ledger.recordsOf(run.id).receipt
  expect([receipt?.landing?.result, asked]).toEqual(['landed', 1])
  expect(it.logged).toContainEqual([
    'task-folder-unwritable',
    { task: it.id, run: run?.id, why: expect.stringContaining('receipt.json could not be written') },
  ])
})
