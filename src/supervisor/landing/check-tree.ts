import { join } from 'node:path'
import type { Landing } from '../../domain/landing/landing.ts'
import { type CheckOnReceipt, commandOnReceipt } from '../../domain/run/receipt.ts'
import { type CommandTry, commandText, endText, landingSubject, shortCommit } from '../../domain/verify/verification.ts'
import { AppError } from '../../errors.ts'
import type { Built } from '../../ports/landing-place.ts'
import type { Verification, VerifyOrder } from '../../ports/verifier.ts'
import { launchFacts } from '../ending/launch-facts.ts'
import { launchRecord } from '../run/launch-record.ts'
import { portsOf, setUp } from '../run/setup.ts'
import type { World } from '../world.ts'

type Checked =
  /** `check`: for the receipt. Absent: there was nothing to check. */
  | { readonly kind: 'passed'; readonly check?: CheckOnReceipt }
  | { readonly kind: 'red'; readonly by: string; readonly output: string; readonly check: CheckOnReceipt }
  /** Nothing was found out about the tree. `remedy`: what a person has to do if that does not change. */
  | { readonly kind: 'waits'; readonly why: string; readonly remedy?: string }

interface Merged {
  readonly landing: Landing
  readonly built: Built
  /** The first of its ports. */
  readonly portBase?: number | undefined
}

/**
 * The project's own checks on the tree that would become the target's. The verifier knows trees that passed by what they are:
 * that the work passed in its worktree says nothing, because ignored files may have been the reason.
 */
export async function checkTree(world: World, merged: Merged, signal: AbortSignal): Promise<Checked> {
  const order = orderFor(world, merged)
  if (!world.verifier.hasCommands(order)) return { kind: 'passed' }
  if (isAccepted(world, merged)) return { kind: 'passed', check: ACCEPTED }
  const made = await complete(world, merged, signal)
  if (made.kind === 'waits') return made
  if (made.kind === 'failed') {
    return {
      kind: 'red',
      by: made.why,
      output: made.output,
      check: { name: 'setup', verdict: 'failed', text: made.why },
    }
  }
  // Files that git alone did not bring are no part of the tree: then the verifier looks at all of it.
  const verification = await world.verifier.verify(
    made.kind === 'bare' ? { ...order, tree: merged.built.tree } : order,
    signal,
  )
  switch (verification.kind) {
    case 'none':
      return { kind: 'passed' }
    case 'passed':
    case 'flaky':
      return { kind: 'passed', check: checkOnReceipt('passed', verification) }
    case 'failed': {
      const { text, commands } = verification
      return { kind: 'red', by: text, output: failing(commands), check: checkOnReceipt('failed', verification) }
    }
    case 'no-verdict':
    case 'unusable':
      world.verifier.forget(order.subject)
      return unchecked(merged, verification)
  }
}

/** Whether anything is run on this tree. */
export function isToCheck(world: World, merged: Merged): boolean {
  return world.verifier.hasCommands(orderFor(world, merged)) && !isAccepted(world, merged)
}

const ACCEPTED: CheckOnReceipt = { name: 'verify', verdict: 'skipped', text: 'a person has accepted this very tree' }

function checkOnReceipt(
  verdict: 'passed' | 'failed',
  { text, commands, known }: Extract<Verification, { readonly text: string }> & { readonly known?: true },
): CheckOnReceipt {
  return {
    name: 'verify',
    verdict,
    text: text === '' ? null : text,
    ...(commands.length > 0 && { commands: commands.map(commandOnReceipt) }),
    ...(known && { known }),
  }
}

/** Changes with all that the checks of a merged tree depend on, besides the tree. */
export function checksOf(world: World, landing: Landing): string {
  const { verifier, policy } = world
  const { project } = landing
  return JSON.stringify([verifier.keyOf({ project, command: ownCommand(world, landing) }), policy().worktree(project)])
}

/** The task's own command as it was when its run began: an agent could change the task since. */
function ownCommand(world: World, { run: id }: Landing): string | undefined {
  const run = world.ledger.run(id)
  return run && launchFacts(launchRecord(world, run)).verify
}

/** A person has seen that the checks gave no verdict about this very tree, or passed only with its own tests. */
function isAccepted({ ledger }: World, { landing, built }: Merged): boolean {
  const receipt = built.unchanged ? ledger.recordsOf(landing.run).receipt : undefined
  const isSeen = receipt?.checks?.some(({ name, verdict }) => name === 'verify' && verdict === 'needs-person') === true
  return isSeen && receipt?.review?.decision === 'accepted'
}

/** A command that hangs costs its whole time with every try. Other reasons pass, or show at once that they have not. */
function unchecked({ landing: { task } }: Merged, { text, commands }: Unchecked): Checked {
  const last = commands.at(-1)
  if (last?.end.kind !== 'timed-out') return { kind: 'waits', why: `what would land was not checked: ${text}` }
  const why = `what would land was not checked: ${commandText(last)} ${endText(last.end)}`
  return {
    kind: 'waits',
    why,
    remedy: `give it more time (fleet config set timeouts.verify=<duration>), then say fleet land ${task}`,
  }
}

type Unchecked = Extract<Verification, { readonly text: string }>

/** Only the last round's output is kept: a landing may be tried all night. */
export function forgetRounds({ attempts, ledger }: World, { task, run }: Landing): void {
  attempts.removeParts(task, ledger.run(run)?.attempt ?? 1, [ROUNDS, SETUP])
}

const ROUNDS = 'landing'
const SETUP = 'landing-setup'

/** Ends what a killed supervisor left running in a tree that is not wanted any more. */
export async function endChecks({ verifier }: World, { run, state }: Landing): Promise<void> {
  if (state.at === 'checking') await verifier.end(landingSubject(run, state.to))
}

type Completed =
  /** Nothing but the tree is there. */
  | { readonly kind: 'bare' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed'; readonly why: string; readonly output: string }
  | { readonly kind: 'waits'; readonly why: string; readonly remedy?: string }

/** The same that makes the worktree of an agent ready: ignored files that the user names, and the project's own setup. */
async function complete(world: World, { landing, built, portBase }: Merged, signal: AbortSignal): Promise<Completed> {
  const { ledger, worktrees, policy } = world
  const run = ledger.run(landing.run)
  const worktree = ledger.worktreeOf(landing.task)
  if (run === undefined || worktree === undefined) return { kind: 'bare' }
  const { setup, include } = policy().worktree(landing.project)
  const tree = { ...worktree, path: built.path }
  try {
    const isWanted = (): boolean => !signal.aborted
    const brought = await worktrees.bring(tree, { patterns: include, isWanted })
    if (brought === 'stopped') return { kind: 'waits', why: 'the merged tree was not made ready: it was stopped' }
    if (typeof brought !== 'number') return { kind: 'waits', why: brought.refused }
    if (setup === undefined) return { kind: brought === 0 ? 'bare' : 'complete' }
    const order = { worktree: tree, line: setup, more: portsOf(portBase), isWanted, part: SETUP } as const
    const first = await setUp(world, run, order)
    // As a command of the checks: red counts only twice, and trouble of the machine not at all.
    const failed = first?.how === 'exited' && isWanted() ? await setUp(world, run, order) : first
    if (failed === undefined) return { kind: 'complete' }
    const why = failed.outcome.text
    if (failed.how === 'exited') return { kind: 'failed', why, output: failed.output }
    return { kind: 'waits', why, ...(failed.how === 'late' && { remedy: slowSetup(landing.task) }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'waits', why: `the merged tree could not be made ready: ${error.message}` }
  }
}

function slowSetup(task: string): string {
  return `make setup of its project faster, then say fleet land ${task}`
}

function orderFor(world: World, { landing, built, portBase }: Merged): VerifyOrder {
  const { attempts, ledger } = world
  const { task, project, folder, run } = landing
  return {
    subject: landingSubject(run, built.commit),
    task,
    folder: join(attempts.folder(task, ledger.run(run)?.attempt ?? 1), ROUNDS, shortCommit(built.commit)),
    cwd: join(built.path, folder),
    project,
    command: ownCommand(world, landing),
    portBase,
  }
}

function failing(commands: readonly CommandTry[]): string {
  const last = commands.at(-1)
  if (last === undefined) return ''
  return last.failing === '' ? `${commandText(last)} ${endText(last.end)} and printed nothing` : last.failing
}
