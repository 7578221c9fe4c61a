import { conflictOutcome, redOutcome } from '../../domain/landing/after-landing.ts'
import { isReady, type Landing, NEEDS_LANDING, waitOf } from '../../domain/landing/landing.ts'
import { type Plan, planFor } from '../../domain/landing/plan.ts'
import type { Task } from '../../domain/task/task.ts'
import type { Brought, Built } from '../../ports/landing-place.ts'
import type { World } from '../world.ts'
import { finishAcceptance } from './accepted.ts'
import { checksOf, checkTree, endChecks, forgetRounds, isToCheck } from './check-tree.ts'
import { type Ended, landed, over, sendBack, settle, trustedAgain, untrusted, wait } from './fates.ts'
import { begin } from './under-way.ts'

/** Others moved the target so often that it is better to wait a moment. */
const ROUNDS = 10

interface Going {
  /** null: it is not known. */
  readonly target: string | null
  readonly signal: AbortSignal
  /** The first of the ports that its checks get; undefined: none is free. */
  portBase(): Promise<number | undefined>
}

/**
 * Takes one landing as far as it goes now. Every step can be done again: a supervisor that was killed finds in the ledger
 * which commit it was about to move the target to, and in the repository whether it did.
 */
export async function landTask(world: World, given: Landing, going: Going): Promise<Ended | undefined> {
  const { repository, state } = given
  const { signal } = going
  let landing = given
  if (state.at === 'accepting') return await finishAcceptance(world, given)
  if (state.at === 'settling') return await settle(world, given)
  if (state.at === 'moving') {
    const { target, from, to } = state
    begin(world, given)
    const fingerprint = world.ledger.landings.trusted(repository)?.fingerprint ?? ''
    const order = { repository, target, task: given.task, from, to, fingerprint }
    const moved = await world.landing.resumeMove(order, signal)
    if (moved.kind === 'moved') return await landed(world, given, { target, to, signal })
    if (signal.aborted) return undefined
    if (moved.kind === 'waits') return wait(world, given, moved.why)
    if (moved.kind === 'programs-changed') return await untrusted(world, given)
    if (moved.kind === 'gone') landing = anew(given)
  }
  if (!(await isSettled(world, given))) return undefined
  for (let round = 0; round < ROUNDS; round++) {
    const done = await landOnce(world, landing, going)
    if (done !== 'lost-race') return done
    world.log('landing-repeated', { task: given.task, run: given.run })
    landing = anew(given)
  }
  return wait(world, landing, 'its target moves all the time')
}

/** Nothing that was built counts any more. */
function anew(landing: Landing): Landing {
  return { ...landing, state: { at: 'queued', ...waiting(landing) } }
}

/** The queue has heard of the end of its run. The ledger notes that a moment later. */
async function isSettled({ ledger, queue }: World, { run, task }: Landing): Promise<boolean> {
  const phase = ledger.run(run)?.phase
  return phase === 'settled' || (phase === 'ended' && (await queue.get(task))?.status === 'blocked')
}

async function landOnce(world: World, landing: Landing, going: Going): Promise<Ended | 'lost-race' | undefined> {
  const { signal, target } = going
  const task = await stillWaiting(world, landing)
  if (task === undefined) return await giveUp(world, landing)
  const { repository, branch, base, commit, title } = landing
  const policy = world.policy().landing(landing.project)
  if (target === null) {
    const how = `name one with fleet bd update ${landing.task} --target <branch>`
    return wait(world, landing, `no branch was checked out in ${repository} when the task began: ${how}`)
  }
  const order = { repository, target, commit, base }
  const look = await world.landing.look(order)
  if (look.kind === 'gone') return wait(world, landing, look.why)
  const plan = planFor(policy.as, look.facts)
  if (plan.how === 'nothing') return await landed(world, landing, { target, to: null, signal })
  const trusted = world.ledger.landings.trusted(repository)
  if (trusted === undefined || trusted.changedBy !== null) return await untrusted(world, landing)
  await trustedAgain(world, landing, task)
  const { fingerprint } = trusted
  const { tip } = look.facts
  begin(world, landing)
  const passed = JSON.stringify([policy.as, fingerprint, checksOf(world, landing)])
  const ready = isReady(landing.state, { from: tip, target, passed })
  if (ready) return await moveTo(world, { landing, target, from: tip, to: landing.state.to, fingerprint, signal })
  let brought: Brought | undefined = await builtBefore(world, landing, tip)
  if (brought === undefined) {
    forgetRounds(world, landing)
    const more = { task: task.id, branch, worktree: worktreeOf(world, landing), title, tip, plan, fingerprint }
    brought = await world.landing.bring({ ...order, ...more }, signal)
  }
  if (signal.aborted) return undefined
  if ((await stillWaiting(world, landing)) === undefined) return await giveUp(world, landing)
  switch (brought.kind) {
    case 'built':
      return await checkAndMove(world, { landing, target, plan, from: tip, fingerprint, passed, built: brought }, going)
    case 'nothing':
      return await landed(world, landing, { target, to: null, signal })
    case 'conflict':
      return await sendBack(world, landing, {
        outcome: conflictOutcome(landing, { target, plan }, brought),
        build: { target, commit: null, report: { how: plan.how } },
      })
    case 'refused': {
      const by = `${brought.by} of the repository refused it`
      return await sendBack(world, landing, {
        outcome: redOutcome(landing, { target, plan }, { by, output: brought.output }),
        build: { target, commit: null, report: { how: plan.how } },
      })
    }
    case 'programs-changed':
      return await untrusted(world, landing)
    case 'waits':
      return wait(world, landing, brought.why)
  }
}

function worktreeOf({ ledger }: World, { task, repository }: Landing): string {
  return ledger.worktreeOf(task)?.path ?? repository
}

interface Candidate {
  readonly landing: Landing
  readonly target: string
  readonly plan: Plan
  /** The tip that it was built on. */
  readonly from: string
  readonly fingerprint: string
  /** All that it has to pass. */
  readonly passed: string
  readonly built: Built
}

async function checkAndMove(
  world: World,
  { landing, target, plan, from, fingerprint, passed, built }: Candidate,
  { signal, portBase: ports }: Going,
): Promise<Ended | 'lost-race' | undefined> {
  const { landings } = world.ledger
  const { commit: to, tree, path } = built
  const way = { from, to, target, ...waiting(landing) }
  const portBase = isToCheck(world, { landing, built }) ? await ports() : undefined
  const checking = { at: 'checking', tree, path, ...(portBase !== undefined && { portBase }), ...way } as const
  if (landings.advance(landing, { state: checking }) === undefined) return undefined
  const since = world.clock.monotonic()
  const checked = await checkTree(world, { landing, built, portBase }, signal)
  if (signal.aborted) return undefined
  // Checks take minutes: a person may have decided meanwhile.
  if ((await stillWaiting(world, landing)) === undefined) return await giveUp(world, landing)
  if (checked.kind === 'waits') {
    const tookMs = Math.round(world.clock.monotonic() - since)
    return wait(world, landing, checked.why, { tookMs, remedy: checked.remedy })
  }
  const report = { how: plan.how, ...(checked.check && { check: checked.check }) }
  if (checked.kind === 'red') {
    const outcome = redOutcome(landing, { target, plan }, checked)
    return await sendBack(world, landing, { outcome, build: { target, commit: to, report } })
  }
  const moving = landings.advance(landing, { state: { at: 'moving', passed, report, ...way } })
  return moving && (await moveTo(world, { landing: moving, target, from, to, fingerprint, signal }))
}

async function moveTo(
  world: World,
  {
    landing,
    target,
    from,
    to,
    fingerprint,
    signal,
  }: Pick<Candidate, 'landing' | 'target' | 'from' | 'fingerprint'> & { to: string; signal: AbortSignal },
): Promise<Ended | 'lost-race' | undefined> {
  const { repository, task } = landing
  const moved = await world.landing.move({ repository, target, task, from, to, fingerprint }, signal)
  if (moved.kind !== 'moved' && signal.aborted) return undefined
  switch (moved.kind) {
    case 'moved':
      return await landed(world, landing, { target, to, signal })
    case 'lost-race':
      return 'lost-race'
    case 'programs-changed':
      return await untrusted(world, landing)
    case 'waits':
      return wait(world, landing, moved.why)
  }
}

/** A tree whose checks a killed supervisor left running. One that was built on another tip is not wanted any more. */
async function builtBefore(
  world: World,
  landing: Landing,
  tip: string,
): Promise<Extract<Brought, { kind: 'built' }> | undefined> {
  if (landing.state.at !== 'checking') return undefined
  const { from, to: commit, tree, path } = landing.state
  if (from === tip && world.landing.isBuilt(path)) return { kind: 'built', commit, tree, path, unchanged: false }
  await endChecks(world, landing)
  return undefined
}

function waiting(landing: Landing): { waits?: NonNullable<ReturnType<typeof waitOf>> } {
  const waits = waitOf(landing)
  return waits === undefined ? {} : { waits }
}

/** The task, if nobody has decided about it since its run. */
export async function stillWaiting({ queue, ledger }: World, { task: id, run }: Landing): Promise<Task | undefined> {
  const task = await queue.get(id)
  const isOurs = task?.status === 'blocked' && task.assignee === '' && task.labels.includes(NEEDS_LANDING)
  return isOurs && ledger.runsOf(id).at(-1)?.id === run ? task : undefined
}

async function giveUp(world: World, landing: Landing): Promise<undefined> {
  await endChecks(world, landing)
  world.log('landing-dropped', { task: landing.task, run: landing.run })
  over(world, landing, null)
}
