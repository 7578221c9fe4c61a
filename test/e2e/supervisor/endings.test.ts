import { expect, test } from 'vitest'
import type { Step } from '../../stub-agent/stub-as.ts'
import { claims, healthy, init, result, says, testFleet, tool, writes } from '../../support/supervisor.ts'

const outcomes = (runs: readonly { outcome: { code: string } | null }[]) => runs.map((run) => run.outcome?.code)

test("a result's error fields take precedence over its subtype, and both over the exit code", async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const work = healthy('x.txt').slice(0, -1)
  const cases: Record<string, { steps: readonly Step[]; outcome: string }> = {
    'several results': {
      steps: [...work, result('one'), says('more'), result('two'), result('three')],
      outcome: 'done',
    },
    'a failed turn, then a good one': {
      steps: [init, result('boom', { is_error: true }), ...work.slice(1), result()],
      outcome: 'done',
    },
    'a good turn, then a failed one': {
      steps: [...work, result(), result('boom', { is_error: true })],
      outcome: 'error',
    },
    'success that is an error': { steps: [...work, result('boom', { is_error: true }), { exit: 0 }], outcome: 'error' },
    'success, then 143 from its clean-up': { steps: [...work, result(), { exit: 143 }], outcome: 'done' },
    'killed in a turn after a good one': {
      steps: [...work, result(), init, says('More is to do'), { kill: 'SIGKILL' }],
      outcome: 'lost',
    },
    'success, then a crash': { steps: [...work, result(), { kill: 'SIGKILL' }], outcome: 'done' },
    'nothing at all, exit 0': { steps: [{ exit: 0 }], outcome: 'lost' },
    'work and claim, no result, exit 0': { steps: work, outcome: 'lost' },
    'killed in the middle': { steps: [init, tool({ kill: 'SIGKILL' })], outcome: 'lost' },
    'half a line at the end': { steps: [...work, result(), { raw: '{"type":"assistant","mess' }], outcome: 'done' },
    'a result with background work left': {
      steps: [
        ...work,
        {
          emit: {
            type: 'system',
            subtype: 'background_tasks_changed',
            tasks: [{ task_id: 'b', task_type: 'local_bash' }],
          },
        },
        result(),
      ],
      outcome: 'lost',
    },
    'an error before it began': { steps: [{ stderr: 'TypeError: x is not a function' }, { exit: 1 }], outcome: 'lost' },
  }
  const made = Object.entries(cases).map(([name, { steps }]) => ({ name, id: fleet.create(name, steps) }))
  await fleet.start()
  for (const { id } of made) await fleet.ended(id)
  const seen = made.map(({ name, id }) => [name, outcomes(fleet.runs(id)).join()])
  expect(Object.fromEntries(seen)).toEqual(
    Object.fromEntries(Object.entries(cases).map(([name, { outcome }]) => [name, outcome])),
  )
})

test('a task that exits 0 without a claim is retried with delays, then blocked at max_attempts; `fleet retry` gives a fresh set', async () => {
  const fleet = testFleet({ config: ['max_attempts=2'] })
  const idler = fleet.create('Does nothing', [init, says('On it!'), result()])
  const second = fleet.create('Needs a second go', [
    [init, result()],
    [init, writes('x.txt'), claims(), result()],
  ])
  await fleet.start()
  await fleet.ended(idler)
  expect(await fleet.task(idler)).toMatchObject({ status: 'open', assignee: '' })
  expect(fleet.ledger.stateOf(idler)).toMatchObject({ failures: 1, waiting: expect.stringMatching(/^retry 2 of 2: /) })
  expect(fleet.text(idler, '.failures').trim()).toBe('1')

  expect((await fleet.settled(idler, 'blocked')).notes).toMatch(
    /^2 attempts failed; last: no progress in two attempts: ended without saying/,
  )
  expect(fleet.starts(idler)).toHaveLength(2)
  const [one, two] = fleet.runs(idler)
  expect((two?.startedAt ?? 0) - (one?.endedAt ?? 0)).toBeGreaterThanOrEqual(4000)
  expect(fleet.starts(idler)[1]?.argv).toContain(`--resume=${one?.id}`)
  expect(fleet.text(idler, 'attempts', '2', 'prompt.md')).toContain('ended without saying that it is done')
  expect(fleet.text(idler, '.failures').trim()).toBe('2')
  await fleet.settled(second, 'closed')
  expect(fleet.text(second, '.failures').trim()).toBe('1')

  expect(fleet.fleet('retry', idler)).toMatchObject({ code: 0 })
  await fleet.ended(idler, 3)
  expect(fleet.ledger.stateOf(idler)).toMatchObject({ attempts: 3, failures: 1 })
  expect(fleet.text(idler, '.failures').trim()).toBe('1')
  await fleet.settled(idler, 'blocked')
  expect(fleet.starts(idler)).toHaveLength(4)
  expect(fleet.runs(idler).map((run) => run.outcome?.code)).toEqual(['no-claim', ...Array(3).fill('no-progress')])
  // A session without progress is resumed only once.
  expect(fleet.runs(idler).map((run) => run.resumes)).toEqual([null, one?.id, null, null])
})

test("a resumed run costs only its own part of the session's total cost", async () => {
  const fleet = testFleet()
  const told = (usd: number) => ({ total_cost_usd: usd, model_usage_since_last_result: null })
  const id = fleet.create('Costs', [
    [init, says('first'), result('not yet', told(0.5))],
    [init, writes('x.txt'), claims(), result('done', told(0.75))],
  ])
  await fleet.start()
  await fleet.settled(id, 'closed')
  const [first, second] = fleet.runs(id)
  expect(second?.resumes).toBe(first?.id)
  expect([first?.figures.costUsd, second?.figures.costUsd]).toEqual([0.5, 0.25])
  expect(fleet.receipt(id, 2)).toMatchObject({ usage: { cost_usd: 0.25 } })
})
