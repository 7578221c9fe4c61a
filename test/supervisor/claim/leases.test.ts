import { expect, test } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import type { Claim } from '../../../src/ports/queue.ts'
import { Leases } from '../../../src/supervisor/claim/leases.ts'
import { RetryingWork } from '../../../src/supervisor/retrying-work.ts'
import type { ActiveRuns } from '../../../src/supervisor/run/active-runs.ts'
import type { LiveRun } from '../../../src/supervisor/run/live-run.ts'
import { testWorld } from '../../support/world.ts'

const LEASE = 120_000

/** Runs that only have claims, and a clock that the test moves. */
async function held(renew: (claim: Claim) => Promise<boolean>, ...tasks: readonly string[]) {
  const time = { now: 1000 }
  const { world } = await testWorld(
    () => ({ shared: true, renew }),
    ({ policy, clock }) => ({
      policy: () => ({ ...policy(), lease: LEASE }),
      clock: { ...clock, monotonic: () => time.now },
    }),
  )
  const stopped: string[] = []
  const live = tasks.map((id) => {
    const claim = { id, by: world.name, token: 1 }
    return { claim, record: { id: `run of ${id}`, task: id }, state: { phase: 'running' } } as unknown as LiveRun
  })
  const runs = { live, advance: (each: LiveRun) => void stopped.push(each.claim.id) } as unknown as ActiveRuns
  const work = new RetryingWork(world, () => {})
  const news = { takenAway: (each: LiveRun) => void stopped.push(`${each.claim.id} is theirs`), answers: () => {} }
  const leases = new Leases(world, work, { runs, news })
  const claims = live.map(({ claim }) => claim)
  return { time, leases, claims, stopped }
}

test('a renewal without an answer costs no other run its lease', async () => {
  const asked: string[] = []
  const lose = async ({ id }: Claim) => {
    asked.push(id)
    if (id === 'a') throw new AppError('queue', 'the answer was lost')
    return true
  }
  const { time, leases, claims } = await held(lose, 'a', 'b')
  leases.granted(claims, { askedAt: time.now, leaseMs: LEASE })
  leases.everySecond(time.now)
  await expect.poll(() => asked).toEqual(['a', 'b'])
})

test('after a suspend a run lasts only as long as it takes to renew its lease, however long the earlier lease was', async () => {
  let answer = (_renewed: boolean): void => {}
  const slowly = () =>
    new Promise<boolean>((resolve) => {
      answer = resolve
    })
  const { time, leases, claims, stopped } = await held(slowly, 'a')
  leases.granted(claims, { askedAt: time.now, leaseMs: LEASE })
  leases.everySecond(time.now)
  // The machine sleeps for hours before the answer is read, and the monotonic clock stands still.
  time.now += 1000
  leases.renewSoon()
  answer(true)
  await new Promise(setImmediate)
  leases.everySecond(time.now)
  expect(stopped).toEqual([])
  time.now += LEASE / 3
  leases.everySecond(time.now)
  expect(stopped).toEqual(['a'])
})

test('setting the clock forward stops no run while the queue answers', async () => {
  const { time, leases, claims, stopped } = await held(async () => true, 'a')
  leases.granted(claims, { askedAt: time.now, leaseMs: LEASE })
  leases.renewSoon()
  for (let seconds = 0; seconds < 100; seconds++) {
    time.now += 1000
    leases.everySecond(time.now)
    await new Promise(setImmediate)
  }
  expect(stopped).toEqual([])
})
