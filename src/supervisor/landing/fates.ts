import { programsChangedText } from '../../domain/landing/after-landing.ts'
import {
  isSameState,
  type Landing,
  type LandingState,
  NEEDS_LANDING,
  type StateChange,
  waitOf,
  waitsAgain,
  waitsForPerson,
} from '../../domain/landing/landing.ts'
import {
  type LandingOnReceipt,
  landedOnReceipt,
  type Returning,
  returnedOnReceipt,
} from '../../domain/landing/landing-on-receipt.ts'
import { BOUNCES, type Outcome } from '../../domain/run/outcome.ts'
import { afterRun } from '../../domain/run/retry.ts'
import { NEEDS_REVIEW } from '../../domain/run/review.ts'
import type { NextStep } from '../../domain/task/next-step.ts'
import type { Task } from '../../domain/task/task.ts'
import { mapStrings } from '../../domain/text/redact.ts'
import { amendInLedger, rewriteReceipt } from '../ending/receipt.ts'
import { tellAgain } from '../shared/task-records.ts'
import type { World } from '../world.ts'
import { compareRepository } from './trust.ts'
import { begin } from './under-way.ts'

/**
 * The fates of a landing. A decision is written first, so that a supervisor that dies decides nothing else. A landing
 * whose task has a newer one by then decides nothing.
 */

/** The fate of the task, where it has one now. */
export type Ended = NextStep['to']

interface Waiting {
  /** How long the try took. */
  readonly tookMs?: number
  /** The next step of a person after a few tries in vain. */
  readonly remedy?: string | undefined
  /** The tree that is being checked is not the reason, and is needed again. */
  readonly keepsTree?: boolean
}

/** It stays in the queue, and others go on. */
export function wait(world: World, landing: Landing, why: string, how: Waiting = {}): undefined {
  const { tookMs = 0, remedy, keepsTree = false } = how
  const { state, task, run } = landing
  if (state.at === 'settling' || state.at === 'over') return
  const before = waitOf(landing)
  const again = waitsAgain(before, why, { now: world.clock.now(), tookMs })
  const waits = remedy === undefined ? again : waitsForPerson(again, remedy)
  // A target that was perhaps moved is remembered. A tree that was only built is built again.
  const keeps = state.at === 'moving' || state.at === 'accepting' || (keepsTree && state.at === 'checking')
  const stands: LandingState = keeps ? { ...state, waits } : { at: 'queued', waits }
  const isCurrent = world.ledger.landings.advance(landing, { state: stands }) !== undefined
  if (!keepsTree) world.landing.discard(task)
  if (isCurrent && before?.why !== waits.why) world.log('landing-waits', { task, run, why: waits.why })
}

/** `to`: null if the target had all of it before. */
export async function landed(
  world: World,
  landing: Landing,
  { target, to, signal }: { target: string; to: string | null; signal: AbortSignal },
): Promise<Ended | undefined> {
  const { ledger, clock } = world
  const { repository, project, task, run, summary } = landing
  if (world.policy().landing(project).push) {
    const fingerprint = world.ledger.landings.trusted(repository)?.fingerprint ?? ''
    begin(world, landing)
    const pushed = await world.landing.push({ task, repository, target, fingerprint }, signal)
    // The next supervisor finds out that it has moved, and pushes.
    if (pushed.kind !== 'pushed' && signal.aborted) return undefined
    if (pushed.kind === 'programs-changed') return await untrusted(world, landing)
    if (pushed.kind === 'waits') return wait(world, landing, pushed.why)
  }
  world.log('task-landed', { task, run, target, commit: to })
  const next = { to: 'closed', reason: summary } as const
  const state = { at: 'settling', next, landed: to ?? landing.commit } as const
  const entry = landedOnReceipt(landing, { target, to, at: clock.now() })
  const advanced = recorded(world, landing, entry, () => ledger.landings.advance(landing, { bounces: 0, state }))
  return await settle(world, advanced)
}

/** Back to its own agent, or to a person after too many times. */
export async function sendBack(
  world: World,
  landing: Landing,
  { outcome, build }: { readonly outcome: Outcome; readonly build: Returning },
): Promise<Ended | undefined> {
  const { ledger, clock, machine, environment } = world
  const { redact } = environment
  const { details } = outcome
  const told = { ...outcome, text: redact(outcome.text), ...(details !== undefined && { details: redact(details) }) }
  const rules = {
    maxAttempts: world.policy().maxAttempts,
    now: clock.now(),
    jitter: machine.chance(),
    session: undefined,
    lane: undefined,
  }
  const entry = returnedOnReceipt(landing, build, { ...told, at: clock.now() })
  const returned = recorded(world, landing, entry, () => {
    const before = ledger.stateOf(landing.task)
    const { state: after, next } = afterRun(before, told, rules)
    if (next === undefined) return undefined
    const state = { at: 'settling', next, state: { before, after } } as const
    const advanced = ledger.landings.advance(landing, { bounces: bouncesAfter(landing, told), state })
    if (advanced === undefined) return undefined
    ledger.saveState(after)
    return advanced
  })
  if (returned === undefined) return undefined
  world.log('landing-returned', { task: landing.task, run: landing.run, outcome: told.code, why: told.text })
  return await settle(world, returned)
}

/** Decides, and with that writes the decision on the receipt of the run whose work it is. */
function recorded(
  world: World,
  landing: Landing,
  entry: LandingOnReceipt,
  decide: () => Landing | undefined,
): Landing | undefined {
  const run = world.ledger.run(landing.run)
  // The output of checks may hold a secret.
  const told = mapStrings(entry, world.environment.redact)
  const { decided, receipt } = world.ledger.together(() => {
    const decided = decide()
    if (decided === undefined || run === undefined) return { decided, receipt: undefined }
    return { decided, receipt: amendInLedger(world, run, { change: (receipt) => ({ ...receipt, landing: told }) }) }
  })
  if (run !== undefined && receipt !== undefined) rewriteReceipt(world, run, receipt)
  return decided
}

/** A person who lets it go on after the last one gives it a fresh set. */
function bouncesAfter({ bounces }: Landing, { code }: Outcome): number {
  if (code !== 'conflict') return bounces
  return bounces >= BOUNCES ? 0 : bounces + 1
}

/** A person looks at what was changed, and says whether it may run. */
export async function untrusted(world: World, landing: Landing): Promise<undefined> {
  await compareRepository(world, landing)
  const task = await world.queue.get(landing.task)
  if (task?.labels.includes(NEEDS_REVIEW) === false) {
    const next = { to: 'blocked', addLabels: [NEEDS_REVIEW] } as const
    await world.queue.settleBlocked({ id: landing.task, ...landing.claim }, next, { remove: [] })
  }
  const trusted = world.ledger.landings.trusted(landing.repository)
  return wait(world, landing, programsChangedText(landing.task, trusted))
}

/** They are trusted, or as they were again. */
export async function trustedAgain({ queue }: World, { task: id, claim }: Landing, task: Task): Promise<void> {
  if (!task.labels.includes(NEEDS_REVIEW)) return
  await queue.settleBlocked({ id, ...claim }, { to: 'blocked' }, { remove: [NEEDS_REVIEW] })
}

/** Tells the queue what was decided. */
export async function settle(world: World, landing: Landing | undefined): Promise<Ended | undefined> {
  if (landing?.state.at !== 'settling') return undefined
  const { next, landed: commit, state } = landing.state
  if (commit !== undefined) begunAgain(world, landing)
  const { task } = landing
  // The next claimer reads the record first, on whichever machine it is.
  if (state !== undefined) await tellAgain(world, task, { state: state.after, next })
  const labels = (await world.queue.get(task))?.labels ?? []
  const remove = [NEEDS_LANDING, ...(labels.includes(NEEDS_REVIEW) ? [NEEDS_REVIEW] : [])]
  const ours = await world.queue.settleBlocked({ id: task, ...landing.claim }, next, { remove })
  if (!ours && state !== undefined) {
    await tellAgain(world, task, { state: state.before, next: null, instead: state.after })
  }
  world.ledger.together(() => {
    if (!ours && state !== undefined) undo(world, state)
    over(world, landing, commit ?? null)
  })
  return ours ? next.to : undefined
}

/** Unless something else has changed the state since. */
function undo({ ledger }: World, { before, after }: StateChange): void {
  if (isSameState(ledger.stateOf(before.task), after)) ledger.saveState(before)
}

/** Should a person open the task again: what has landed is no work of its next attempt. */
function begunAgain({ ledger }: World, { task, commit }: Landing): void {
  const worktree = ledger.worktreeOf(task)
  if (worktree !== undefined && worktree.base !== commit) ledger.saveWorktree({ ...worktree, base: commit })
}

export function over(world: World, landing: Landing, commit: string | null): void {
  world.ledger.landings.advance(landing, { state: { at: 'over', landed: commit } })
  world.landing.discard(landing.task)
}
