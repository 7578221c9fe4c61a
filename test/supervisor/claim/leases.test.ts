import { expect, test } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import type { Claim } from '../../../src/ports/queue.ts'
import { HeldLeases } from '../../../src/supervisor/claim/held-leases.ts'
import { Leases } from '../../../src/supervisor/claim/leases.ts'
import { RetryingWork } from '../../../src/supervisor/retrying-work.ts'
import type { ActiveRuns } from '../../../src/supervisor/run/active-runs.ts'
import type { LiveRun } from '../../../src/supervisor/run/live-run.ts'
import { testWorld } from '../../support/world.ts'

const LEASE = 120_000

/** Runs that only have claims, and a clock that the test moves. */
async function held(renew: (claim: Claim) => Promise<boolean>, ...tasks: readonly string[]) {
  const time = {
    now: 1000,
    asleepFor: 0,
    get boot() {
      return this.now + this.asleepFor
    },
  }
  const { world } = await testWorld(
    () => ({ shared: true, renew }),
    ({ policy, clock }) => ({
      policy: () => ({ ...policy(), lease: LEASE }),
      clock: { ...clock, monotonic: () => time.now, sinceBoot: () => time.boot },
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
  const held = new HeldLeases(world)
  const leases = new Leases(world, work, { runs, held, news })
  const claims = live.map(({ claim }) => claim)
  held.granted(claims, { askedAt: time.boot, leaseMs: LEASE })
  return { time, leases, stopped }
}

test('a renewal without an answer costs no other run its lease', async () => {
  const asked: string[] = []
  const lose = async ({ id }: Claim) => {
    asked.push(id)
    if (id === 'a') throw new AppError('queue', 'the answer was lost')
    return true
  }
  const { time, leases } = await held(lose, 'a', 'b')
  leases.everySecond(time.now)
  await expect.poll(() => asked).toEqual(['a', 'b'])
})

/** Answers when the test says so. */
function slow() {
  let answer = (_renewed: boolean): void => {}
  const renew = () =>
    new Promise<boolean>((resolve) => {
      answer = resolve
    })
  return { renew, answer: () => answer(true) }
}

test('after a suspend longer than its lease a run is stopped at once, even if a renewal from before is answered', async () => {
  const { renew, answer } = slow()
  const { time, leases, stopped } = await held(renew, 'a')
  leases.everySecond(time.now)
  // The machine sleeps for hours before the answer is read, and the monotonic clock stands still.
  time.now += 1000
  time.asleepFor += 10_000_000
  answer()
  await new Promise(setImmediate)
  leases.everySecond(time.now)
  expect(stopped).toEqual(['a'])
})

test('if more time may have passed than any clock shows, a run lasts only as long as it takes to renew its lease', async () => {
  const { renew } = slow()
  const { time, leases, stopped } = await held(renew, 'a')
  time.now += 1000
  leases.renewSoon()
  leases.everySecond(time.now)
  expect(stopped).toEqual([])
  time.now += LEASE / 3
  leases.everySecond(time.now)
  expect(stopped).toEqual(['a'])
})

test('setting the clock forward stops no run while the queue answers', async () => {
  const { time, leases, stopped } = await held(async () => true, 'a')
  leases.renewSoon()
  for (let seconds = 0; seconds < 100; seconds++) {
    time.now += 1000
    leases.everySecond(time.now)
    await new Promise(setImmediate)
  }
  expect(stopped).toEqual([])
})
