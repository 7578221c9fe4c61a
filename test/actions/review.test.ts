import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { carryOut, type ReviewDecision } from '../../src/actions/carry-out-review.ts'
import { reviewTask } from '../../src/actions/review.ts'
import { createLocalQueue, type HomeStore, openLocalStore } from '../../src/app.ts'
import { newLanding } from '../../src/domain/landing/landing.ts'
import type { Receipt } from '../../src/domain/run/receipt.ts'
import { stateOfRejected } from '../../src/domain/run/review.ts'
import { freshState, NO_FIGURES, type Run } from '../../src/domain/run/run.ts'
import type { Worktree } from '../../src/domain/run/worktree.ts'
import { AppError } from '../../src/errors.ts'
import { Home } from '../../src/platform/files/home.ts'
import { temporaryFolder } from '../support/cli.ts'
import { newRun } from '../support/test-ledger.ts'

const COMMIT = 'c'.repeat(40)
const LOST = new AppError('queue', 'the connection was lost')

/** A home with a task whose run, in a worktree, waits for a review. */
async function waiting() {
  const home = new Home(join(temporaryFolder(), 'home'))
  mkdirSync(home.path, { mode: 0o700 })
  createLocalQueue(home)
  const store = openLocalStore(home)
  onTestFinished(() => store[Symbol.asyncDispose]())
  const { queue, ledger } = store
  const { id } = await queue.create({ title: 'Make a' }, 'tester')
  const [claim] = await queue.claim({ limit: 1, by: 'fleet@here', leaseMs: 60_000 })
  if (claim === undefined) throw new Error('nothing was handed out')
  const path = join(home.path, 'worktrees', id)
  const worktree: Worktree = {
    ...{ task: id, repository: '/shop', folder: '', path, branch: `fleet/${id}`, base: 'b'.repeat(40), target: 'main' },
    ...{ state: 'ready', madeAt: 1, readyAt: 1, setUp: null },
  }
  ledger.saveWorktree(worktree)
  ledger.begin(newRun('run-1', { task: id, claimedBy: claim.by, token: claim.token, cwd: path, project: '/shop' }))
  const next = { to: 'blocked', notes: 'look', addLabels: ['needs-review'] } as const
  const outcome = { code: 'needs-review', text: 'look' } as const
  const at = { path, branch: worktree.branch, base: worktree.base, head: COMMIT, kept: true }
  const receipt = { run: 'run-1', level: 'evidenced', worktree: at, warnings: [] } as unknown as Receipt
  const state = { ...freshState(id), attempts: 1, failures: 1, lastOutcome: outcome }
  ledger.ended('run-1', { at: 2, outcome, figures: NO_FIGURES, state, next, receipt })
  await queue.settle(claim, next)
  ledger.settled('run-1')
  const run = ledger.run('run-1') as Run
  const summary = 'look'
  const landing = newLanding(run, { worktree, commit: COMMIT, summary, queuedAt: 5, before: undefined })
  const review = { task: id, run: run.id, by: 'anna', at: 5, note: 'say b' }
  const waits = { waits: 'needs-review', command: `fleet review ${id}` }
  return {
    ...{ home, store, id, landing },
    accept: {
      ...{ run, landing, review: { ...review, decision: 'accepted' }, ...waits },
      next: { to: 'blocked', addLabels: ['needs-landing'] },
    } satisfies ReviewDecision,
    reject: {
      ...{ run, landing: undefined, review: { ...review, decision: 'rejected' }, next: { to: 'open' } },
      ...{ ...waits, state: stateOfRejected(review) },
    } satisfies ReviewDecision,
    /** How queue and ledger stand. */
    async standing() {
      const { status, labels } = (await queue.get(id)) ?? {}
      const { failures, lastOutcome } = ledger.stateOf(id)
      const reviews = ledger.reviews.of(id).map(({ decision, by }) => `${decision} by ${by}`)
      return { status, labels, failures, last: lastOutcome?.code, reviews, landing: ledger.landings.of(id)?.state.at }
    },
  }
}

/** The queue of this store, with other answers. */
function answering(store: HomeStore, answers: Partial<HomeStore['queue']>): HomeStore {
  const queue = new Proxy(store.queue, {
    get(target, name) {
      const member = answers[name as keyof typeof answers] ?? Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { ...store, queue }
}

/** The queue does it, and its answer is lost. */
const unheard = (store: HomeStore): HomeStore =>
  answering(store, {
    async settleBlocked(...given) {
      await store.queue.settleBlocked(...given)
      throw LOST
    },
  })

test.each(['accepted first', 'rejected first'])(
  'of two decisions at once one counts, and the other person is told: %s',
  async (first) => {
    const { home, id, standing } = await waiting()
    const wishes = [
      { task: id, decision: 'accepted', note: '' },
      { task: id, decision: 'rejected', note: 'say b' },
    ] as const
    const inOrder = first === 'accepted first' ? wishes : wishes.toReversed()
    const told = await Promise.allSettled(inOrder.map((wish) => reviewTask({ home, by: wish.decision }, wish)))
    expect(told.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(told).toContainEqual({ status: 'rejected', reason: expect.objectContaining({ code: 'conflict' }) })
    const accepted = { status: 'blocked', labels: ['needs-landing'], last: 'needs-landing', landing: 'queued' }
    const rejected = { status: 'open', labels: [], last: 'review-rejected', landing: undefined }
    const { reviews, failures: _any, ...stands } = await standing()
    expect(reviews.length).toBe(1)
    expect(stands).toEqual(reviews[0] === 'accepted by accepted' ? accepted : rejected)
  },
)

test('a decision that the queue refuses leaves the ledger as others have written it', async () => {
  const { store, id, accept, reject, standing } = await waiting()
  expect(await carryOut(store, accept)).toBe(true)
  store.ledger.saveState({ ...store.ledger.stateOf(id), failures: 2 })
  const before = await standing()
  expect(await carryOut(store, reject)).toBe(false)
  expect(await carryOut(store, { ...accept, review: { ...accept.review, by: 'ben', at: 6 } })).toBe(false)
  expect(await standing()).toEqual(before)
})

test('a rejection that is refused takes nothing from the attempt that ended meanwhile', async () => {
  const { store, id, reject, standing } = await waiting()
  const lastOutcome = { code: 'error', text: 'broke' } as const
  const meanwhile = answering(store, {
    async settleBlocked() {
      store.ledger.saveState({ ...store.ledger.stateOf(id), failures: 1, lastOutcome })
      return false
    },
  })
  expect(await carryOut(meanwhile, reject)).toBe(false)
  expect(await standing()).toMatchObject({ failures: 1, last: 'error', reviews: [] })
})

test('a decision whose confirmation is lost counts if the queue has carried it out', async () => {
  const accepted = await waiting()
  expect(await carryOut(unheard(accepted.store), accepted.accept)).toBe(true)
  expect(await accepted.standing()).toMatchObject({ labels: ['needs-landing'], reviews: ['accepted by anna'] })
  const rejected = await waiting()
  expect(await carryOut(unheard(rejected.store), rejected.reject)).toBe(true)
  expect(await rejected.standing()).toMatchObject({ status: 'open', last: 'review-rejected' })
})

test('a decision that did not reach the queue is taken back', async () => {
  const { store, accept, reject, standing } = await waiting()
  const before = await standing()
  const lost = answering(store, { settleBlocked: () => Promise.reject(LOST) })
  for (const decision of [accept, reject]) {
    await expect(carryOut(lost, decision)).rejects.toBe(LOST)
    expect(await standing()).toEqual(before)
  }
})

test('while the queue cannot be asked what became of a decision, all that it needs stays', async () => {
  const { store, accept, standing } = await waiting()
  const silent = answering(unheard(store), { get: () => Promise.reject(LOST) })
  await expect(carryOut(silent, accept)).rejects.toMatchObject({
    code: 'queue',
    message: expect.stringContaining('did not say whether the decision'),
  })
  expect(await standing()).toMatchObject({ labels: ['needs-landing'], landing: 'accepting' })
})
