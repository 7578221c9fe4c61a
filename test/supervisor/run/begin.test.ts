import { expect, test } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { StartUnanswered } from '../../../src/ports/agents.ts'
import { eventually } from '../../support/home-run.ts'
import { testWorld } from '../../support/world.ts'

test('a claim that fails once is retried without any other event', async () => {
  let failures = 0
  const { script, status, supervisor } = await testWorld((queue) => ({
    claim: (want) => (failures++ === 0 ? Promise.reject(new AppError('queue', 'locked')) : queue.claim(want)),
  }))
  const id = await script('true')
  await supervisor().start()
  await eventually(async () => (await status(id)) === 'closed', 'it is done')
})

test('a store that is locked while a supervisor starts does not end it', async () => {
  const locked = new AppError('queue', 'locked')
  let failing = true
  const { world, store, script, status, supervisor } = await testWorld(
    (queue) => ({ settle: (claim, next) => (failing ? Promise.reject(locked) : queue.settle(claim, next)) }),
    ({ ledger }) => ({
      ledger: new Proxy(ledger, {
        get(target, name) {
          if (failing && name === 'saveLane') {
            return () => {
              throw locked
            }
          }
          const value = target[name as keyof typeof target] as unknown
          return typeof value === 'function' ? value.bind(target) : value
        },
      }),
    }),
  )
  const id = await script('true')
  const [stray] = await store.queue.claim({ limit: 1, by: world.name, leaseMs: 60_000 })
  expect(stray?.id).toBe(id)
  store.ledger.saveLane({ name: 'shell', state: 'down', until: null, code: 'login', reason: 'no key', since: 0 })
  await supervisor().start()
  failing = false
  await eventually(async () => (await status(id)) === 'closed', 'what was claimed and never begun is done')
})

test('`--once` does not miss a retry that comes due between the claim and the question for the next retry', async () => {
  let claims = 0
  const { script, status, supervisor } = await testWorld((queue) => ({
    async claim(want) {
      if (++claims > 1) return await queue.claim(want)
      return []
    },
    nextRetryAt: async () => undefined,
  }))
  const id = await script('true')
  const one = supervisor({ once: true })
  await one.start()
  expect(await one.finished).toEqual({ done: 1, blocked: 0, asked: false })
  expect(await status(id)).toBe('closed')
})

test('a queue that fails for a minute is asked less and less often, and claiming continues by itself', async () => {
  const MINUTE = 60_000
  let failing = true
  const askedAt: number[] = []
  // A minute of the supervisor's clock passes in two seconds.
  const began = performance.now()
  const fast = () => (performance.now() - began) * 30
  const { script, status, supervisor } = await testWorld(
    (queue) => ({
      claim(want) {
        askedAt.push(fast())
        return failing ? Promise.reject(new AppError('queue', 'locked')) : queue.claim(want)
      },
    }),
    () => ({ clock: { now: Date.now, monotonic: fast, sinceBoot: fast } }),
  )
  const id = await script('true')
  const one = supervisor()
  await one.start()
  await eventually(() => fast() > MINUTE, 'a minute has passed')
  const asked = askedAt.filter((at) => at < MINUTE).length
  expect(asked).toBeGreaterThan(2)
  expect(asked).toBeLessThan(20)
  failing = false
  await eventually(async () => (await status(id)) === 'closed', 'it is done')
})

test.each(['never started', 'started'] as const)(
  'a kill while the start of a run is unanswered (it was %s) ends the run, and it is not begun again',
  async (was) => {
    let starts = 0
    let gone = (): void => {}
    const { world, script, status, ask, supervisor } = await testWorld(undefined, ({ agents }) => ({
      agents: {
        ...agents,
        async start(order, ended) {
          starts++
          if (was === 'started') await agents.start(order, ended)
          await new Promise<void>((resolve) => {
            gone = resolve
          })
          throw new StartUnanswered('it has gone')
        },
      },
    }))
    const one = supervisor()
    await one.start()
    const id = await script('exec sleep 600')
    one.wake()
    await eventually(() => one.standing.live[0]?.state.phase === 'starting', 'it is being started')
    const answer = ask('kill', id)
    one.wake()
    await eventually(() => one.standing.live[0]?.ending.requests.length === 1, 'it was heard')
    gone()
    await eventually(() => answer() !== null, 'who asked is answered')
    expect([await status(id), starts]).toEqual(['blocked', 1])
    expect(world.ledger.runsOf(id).map(({ outcome }) => outcome)).toMatchObject([{ code: 'killed' }])
  },
)

test('a free slot is filled even if mending lanes failed when it became free', async () => {
  let broken = true
  const { world, script, status, supervisor } = await testWorld(undefined, ({ coders, policy }) => ({
    policy: () => ({ ...policy(), maxConcurrent: 1 }),
    // Asked of lanes that are down, too.
    coders: {
      ...coders,
      find: (name) => (name === 'gone' && broken ? Promise.reject(new Error('no')) : coders.find(name)),
    },
  }))
  const trouble = { state: 'down', until: null, code: 'missing-binary', reason: 'not there', since: 1 } as const
  const one = supervisor()
  await one.start()
  world.ledger.saveLane({ ...trouble, name: 'gone' })
  const ids = [await script('sleep 0.1'), await script('true'), await script('true')]
  one.wake()
  for (const id of ids) await eventually(async () => (await status(id)) === 'closed', 'it is done')
  broken = false
})

test('a task that cannot be planned is retried with growing waits, holds up no other task, and is blocked in the end', async () => {
  let tries = 0
  const { world, store, script, status, supervisor, logged } = await testWorld(undefined, ({ taskFiles }) => ({
    taskFiles: {
      ...taskFiles,
      async takeInEdit(id) {
        const task = await taskFiles.takeInEdit(id)
        if (task?.description !== 'bad') return task
        tries++
        throw new Error('nobody thought of this')
      },
    },
  }))
  const bad = await script('bad')
  const one = supervisor()
  await one.start()
  await eventually(() => tries === 1, 'it was tried')
  for (let n = 0; n < 3; n++) {
    const good = await script('true')
    one.wake()
    await eventually(async () => (await status(good)) === 'closed', 'another is done', 5000)
  }
  expect([tries, await status(bad)]).toEqual([1, 'open'])
  const told = logged.filter(([event]) => event === 'work-failed').map(([, fields]) => fields)
  expect(told).toMatchObject([{ what: `plan ${bad}`, why: 'nobody thought of this' }])
  const outcome = { code: 'error', text: 'could not be begun: nobody thought of this' }
  expect(world.ledger.stateOf(bad)).toMatchObject({
    failures: 1,
    lastOutcome: outcome,
    waitingUntil: expect.any(Number),
  })

  const last = { ...world.ledger.stateOf(bad), failures: world.policy().maxAttempts - 1 }
  world.ledger.saveState(last)
  await eventually(async () => (await status(bad)) === 'blocked', 'it is blocked', 20_000)
  expect((await store.queue.get(bad))?.notes).toBe(`3 attempts failed; last: ${outcome.text}`)
  expect(world.ledger.stateOf(bad)).toMatchObject({ failures: 3, waiting: outcome.text, waitingUntil: null })
})

test('`--once` waits for the retry of a task that could not be planned', async () => {
  let tries = 0
  const { script, status, supervisor } = await testWorld(undefined, ({ taskFiles }) => ({
    taskFiles: {
      ...taskFiles,
      takeInEdit: (id) =>
        tries++ === 0 ? Promise.reject(new Error('nobody thought of this')) : taskFiles.takeInEdit(id),
    },
  }))
  const id = await script('true')
  const one = supervisor({ once: true })
  await one.start()
  expect(await one.finished).toEqual({ done: 1, blocked: 0, asked: false })
  expect(await status(id)).toBe('closed')
})

test('a file where the folder of an agent should be costs one attempt, and no more', async () => {
  const { store, status, supervisor, world } = await testWorld()
  const description = 'cd ..; rm -rf work; touch work; exit 1'
  const { id } = await store.queue.create({ title: 'Own', description, metadata: { fleet: { coder: 'shell' } } }, 'me')
  await supervisor().start()
  await eventually(() => world.ledger.stateOf(id).failures === 1, 'it failed')
  expect(world.attempts.ownFolder(id)).toContain(id)
  expect(world.machine.directoryProblem(world.attempts.ownFolder(id))).toBeUndefined()
  expect(await status(id)).toBe('open')
})

test('a task does not wait for the slow coder of another task that was claimed with it', async () => {
  let answer = (): void => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { script, status, supervisor } = await testWorld(undefined, ({ coders }) => ({
    coders: {
      ...coders,
      async find(name) {
        if (name === 'slow') await asked
        return await coders.find('shell')
      },
    },
  }))
  const slow = await script('true', { coder: 'slow' })
  const others = [await script('true'), await script('true')]
  await supervisor().start()
  for (const id of others) await eventually(async () => (await status(id)) === 'closed', 'it is done')
  expect(await status(slow)).toBe('in_progress')
  answer()
  await eventually(async () => (await status(slow)) === 'closed', 'it is done, too')
})

test('a run whose start could not be written to the ledger is followed to its end, and begun once', async () => {
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  let silent = false
  const { world, script, status, supervisor } = await testWorld(undefined, ({ log }) => ({
    log(event, ...fields) {
      if (event === 'run-started' && !silent) {
        silent = true
        throw full
      }
      log(event, ...fields)
    },
  }))
  const id = await script('sleep 1; echo done')
  await supervisor().start()
  await eventually(async () => (await status(id)) === 'closed', 'it is done')
  expect(world.ledger.runsOf(id)).toMatchObject([{ attempt: 1, outcome: { code: 'done' } }])
})

test('nothing is claimed while memory is short, and claiming continues once there is enough', async () => {
  let free = 100 * 1024 * 1024
  let looks = 0
  const { script, status, logged, supervisor } = await testWorld(undefined, ({ machine }) => ({
    // What it waits for takes a tenth of the time.
    clock: { now: Date.now, monotonic: () => performance.now() * 10, sinceBoot: () => performance.now() * 10 },
    machine: {
      ...machine,
      freeMemory() {
        looks++
        return free
      },
    },
  }))
  const ids = [await script('true'), await script('true')]
  const statuses = () => Promise.all(ids.map(status))
  await supervisor().start()
  // The second look is made by itself: nothing else happens here.
  await eventually(() => looks > 1, 'it has looked twice')
  expect(await statuses()).toEqual(['open', 'open'])
  const why = 'less than 256 MB of memory are free'
  expect(logged.filter(([event]) => event === 'claiming-stopped')).toEqual([
    ['claiming-stopped', { why, paused: undefined }],
  ])
  free = 1e12
  await eventually(async () => (await statuses()).every((each) => each === 'closed'), 'both are done')
  expect(logged.map(([event]) => event)).toContain('claiming-resumed')
})
