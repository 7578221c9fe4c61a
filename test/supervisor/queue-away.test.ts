import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import type { Hosts } from '../../src/ports/hosts.ts'
import type { Orders } from '../../src/ports/orders.ts'
import { eventually } from '../support/home-run.ts'
import { testWorld } from '../support/world.ts'

const unreachable = () => Promise.reject(new AppError('queue', 'the server cannot be reached'))
const never = () => new Promise<never>(() => {})

test('while the queue does not answer, `fleet kill` still ends an agent and says when it has gone', async () => {
  let silent = false
  const orders = { take: () => (silent ? never() : Promise.resolve([])) } as unknown as Orders
  const { script, ask, supervisor } = await testWorld(
    (queue) => ({ settle: (claim, next) => (silent ? unreachable() : queue.settle(claim, next)) }),
    () => ({ orders }),
  )
  const one = supervisor()
  await one.start()
  const id = await script('exec sleep 600')
  one.wake()
  await eventually(() => one.standing.live[0]?.state.phase === 'running', 'it runs')
  silent = true
  // The look that asks for orders never returns.
  one.queueChanged()
  await delay(100)
  const answer = ask('kill', id)
  await eventually(() => answer() !== null, 'it is answered')
  expect(answer()).toBe('stopped by anna (SIGTERM); the queue does not answer and will be updated when it does')
})

test('a stop also ends while the queue is unreachable, and the next supervisor settles the runs', async () => {
  let there = true
  const { world, script, status, supervisor, logged } = await testWorld((queue) => ({
    settle: (claim, next) => (there ? queue.settle(claim, next) : unreachable()),
  }))
  const one = supervisor()
  await one.start()
  const id = await script('exec sleep 600')
  one.wake()
  await eventually(() => one.standing.live[0]?.state.phase === 'running', 'it runs')
  there = false
  one.stop({ by: 'SIGTERM' })
  one.stop({ by: 'SIGTERM', atOnce: true })
  await one.finished
  expect(logged).toContainEqual(['ended-before-settling', { runs: 1 }])
  expect([world.ledger.openRuns(), await status(id)]).toMatchObject([[{ task: id, phase: 'ended' }], 'in_progress'])
  there = true
  await supervisor({ claiming: false }).start()
  await eventually(async () => (await status(id)) === 'open', 'it is open again')
})

test('a stop during a claim gives the claimed tasks back', async () => {
  let asked = (): void => {}
  let answer = (): void => {}
  const claiming = new Promise<void>((resolve) => {
    asked = resolve
  })
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { world, script, status, supervisor } = await testWorld((queue) => ({
    async claim(want) {
      const claims = await queue.claim(want)
      asked()
      await answered
      return claims
    },
  }))
  const id = await script('true')
  const one = supervisor()
  await one.start()
  await claiming
  expect(await status(id)).toBe('in_progress')
  one.stop({ by: 'SIGTERM' })
  // The supervisor has looked whether it is done by then.
  await delay(100)
  answer()
  await one.finished
  expect([await status(id), world.ledger.runsOf(id)]).toEqual(['open', []])
})

test('--once looks again after other machines claimed the ready tasks first', async () => {
  let claims = 0
  const { script, status, supervisor } = await testWorld((queue) => ({
    async claim(want) {
      if (claims++ > 0) return await queue.claim(want)
      one.queueChanged()
      return []
    },
  }))
  const id = await script('true')
  const one = supervisor({ once: true })
  await one.start()
  await one.finished
  expect(await status(id)).toBe('closed')
})

test('a restart while a repository is being cloned is not counted as a failure', async () => {
  let begun = (): void => {}
  let end = (_error: Error): void => {}
  const cloning = new Promise<void>((resolve) => {
    begun = resolve
  })
  const { world, script, supervisor } = await testWorld(undefined, ({ policy, workspace, home }) => ({
    hosts: {} as Hosts,
    policy: () => ({ ...policy(), host: { ...policy().host, clone: `${home}/clones` } }),
    workspace: {
      ...workspace,
      checkOut: () => {
        begun()
        return new Promise((_, reject) => {
          end = reject
        })
      },
    },
  }))
  const id = await script('true', { cwd: '/nowhere/at/all', remote: 'https://example.org/shop.git' })
  const one = supervisor()
  await one.start()
  await cloning
  one.keep()
  end(new AppError('failed', 'git was ended by SIGTERM'))
  await delay(200)
  expect([world.ledger.runsOf(id), world.ledger.stateOf(id)]).toMatchObject([[{ phase: 'launching' }], { failures: 0 }])
})
