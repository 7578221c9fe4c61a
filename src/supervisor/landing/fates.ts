import { PROGRAMS_CHANGED } from '../../domain/landing/after-landing.ts'
import { type Landing, NEEDS_LANDING, waitOf, waitsAgain } from '../../domain/landing/landing.ts'
import { BOUNCES, type Outcome } from '../../domain/run/outcome.ts'
import { afterRun } from '../../domain/run/retry.ts'
import type { NextStep } from '../../domain/task/next-step.ts'
import type { World } from '../world.ts'

/** What becomes of a landing. What is decided is written first, so that a supervisor that dies decides nothing else. */

/** The fate of the task, where it has one now. */
export type Ended = NextStep['to']

/** It stays in the queue, and others go on. */
export function wait(world: World, landing: Landing, why: string): undefined {
  const { state, task, run } = landing
  if (state.at === 'settling' || state.at === 'over') return
  const before = waitOf(landing)
  const waits = waitsAgain(before, why, world.clock.now())
  // A target that was perhaps moved is remembered. A tree that was only built is built again.
  world.ledger.landings.save({
    ...landing,
    state: state.at === 'moving' ? { ...state, waits } : { at: 'queued', waits },
  })
  if (before?.why !== why) world.log('landing-waits', { task, run, why })
}

/** `to`: null if the target had all of it before. */
export async function landed(
  world: World,
  landing: Landing,
  { target, to }: { target: string; to: string | null },
): Promise<Ended | undefined> {
  const { repository, project, task, run, summary } = landing
  if (world.policy().landing(project).push) {
    const fingerprint = world.ledger.landings.trusted(repository)?.fingerprint ?? ''
    const pushed = await world.landing.push({ repository, target, fingerprint })
    if (pushed.kind === 'programs-changed') return untrusted(world, landing)
    if (pushed.kind === 'waits') return wait(world, landing, pushed.why)
  }
  world.log('task-landed', { task, run, target, commit: to })
  const next = { to: 'closed', reason: summary } as const
  return await decide(world, { ...landing, bounces: 0, state: { at: 'settling', next, landed: to ?? landing.commit } })
}

/** Back to its own agent, or to a person after too many times. */
export async function sendBack(world: World, landing: Landing, outcome: Outcome): Promise<Ended | undefined> {
  const { ledger, clock, machine, environment } = world
  const { redact } = environment
  const { details } = outcome
  const told = { ...outcome, text: redact(outcome.text), ...(details !== undefined && { details: redact(details) }) }
  const { state, next } = afterRun(ledger.stateOf(landing.task), told, {
    maxAttempts: world.policy().maxAttempts,
    now: clock.now(),
    jitter: machine.chance(),
    session: undefined,
    lane: undefined,
  })
  if (next === undefined) return undefined
  world.log('landing-returned', { task: landing.task, run: landing.run, outcome: told.code, why: told.text })
  const returned: Landing = { ...landing, bounces: bouncesAfter(landing, told), state: { at: 'settling', next } }
  ledger.together(() => {
    ledger.saveState(state)
    ledger.landings.save(returned)
  })
  return await settleLanding(world, returned)
}

/** A person who lets it go on after the last one gives it a fresh set. */
function bouncesAfter({ bounces }: Landing, { code }: Outcome): number {
  if (code !== 'conflict') return bounces
  return bounces >= BOUNCES ? 0 : bounces + 1
}

/** A person looks at what was changed, and says whether it may run. */
export function untrusted(world: World, landing: Landing): undefined {
  const { landings } = world.ledger
  const trusted = landings.trusted(landing.repository)
  if (trusted !== undefined && trusted.changedBy === null) {
    landings.trust(landing.repository, { ...trusted, changedBy: landing.task })
  }
  return wait(world, landing, `${PROGRAMS_CHANGED}: look at them, then say fleet land ${landing.task} --trust`)
}

async function decide(world: World, landing: Landing): Promise<Ended | undefined> {
  world.ledger.landings.save(landing)
  return await settleLanding(world, landing)
}

export async function settleLanding(world: World, landing: Landing): Promise<Ended | undefined> {
  if (landing.state.at !== 'settling') return undefined
  const { next, landed: commit } = landing.state
  if (commit !== undefined) begunAgain(world, landing)
  const claim = { id: landing.task, ...landing.claim }
  const ours = await world.queue.settleBlocked(claim, next, { remove: [NEEDS_LANDING] })
  over(world, landing, commit ?? null)
  return ours ? next.to : undefined
}

/** Should a person open the task again: what has landed is no work of its next attempt. */
function begunAgain({ ledger }: World, { task, commit }: Landing): void {
  const worktree = ledger.worktreeOf(task)
  if (worktree !== undefined && worktree.base !== commit) ledger.saveWorktree({ ...worktree, base: commit })
}

/** Unless the task has run again meanwhile, and its new work waits to land. */
export function over(world: World, landing: Landing, commit: string | null): void {
  const { landings } = world.ledger
  world.ledger.together(() => {
    if (landings.of(landing.task)?.run !== landing.run) return
    landings.save({ ...landing, state: { at: 'over', landed: commit } })
  })
  world.landing.discard(landing.task)
}
