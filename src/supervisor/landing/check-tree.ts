import { join } from 'node:path'
import type { Landing } from '../../domain/landing/landing.ts'
import { settingsOf } from '../../domain/task/settings.ts'
import type { Task } from '../../domain/task/task.ts'
import { type CommandTry, commandText, endText } from '../../domain/verify/verification.ts'
import type { Built } from '../../ports/landing-place.ts'
import type { VerifyOrder } from '../../ports/verifier.ts'
import type { World } from '../world.ts'

type Checked =
  | { readonly kind: 'passed' }
  | { readonly kind: 'red'; readonly by: string; readonly output: string }
  /** Nothing was found out about the tree. */
  | { readonly kind: 'waits'; readonly why: string }

interface Merged {
  readonly landing: Landing
  readonly task: Task
  readonly built: Built
}

/** The project's own checks on the tree that would become the target's. A tree that passed already is not checked again. */
export async function checkTree(world: World, merged: Merged, signal: AbortSignal): Promise<Checked> {
  const order = orderFor(world, merged)
  if (!world.verifier.hasCommands(order)) return { kind: 'passed' }
  const verification = await world.verifier.verify(order, signal)
  switch (verification.kind) {
    case 'none':
    case 'passed':
    case 'flaky':
      return { kind: 'passed' }
    case 'failed':
      return { kind: 'red', by: verification.text, output: failing(verification.commands) }
    case 'no-verdict':
    case 'unusable':
      return { kind: 'waits', why: `what would land was not checked: ${verification.text}` }
  }
}

/** Ends what a killed supervisor left running in a tree that is not wanted any more. */
export async function endChecks(world: World, merged: Merged): Promise<void> {
  const order = orderFor(world, merged)
  if (!world.verifier.hasCommands(order)) return
  // It ends what runs, and throws: there is no result.
  await world.verifier.verify(order, AbortSignal.abort()).catch(() => {})
}

function orderFor({ attempts, ledger }: World, { landing, task, built }: Merged): VerifyOrder {
  const { project, folder, run } = landing
  const short = built.commit.slice(0, 12)
  return {
    subject: `${run}-${short}`,
    task: task.id,
    folder: join(attempts.folder(task.id, ledger.run(run)?.attempt ?? 1), 'landing', short),
    cwd: join(built.path, folder),
    project,
    command: settingsOf(task.metadata).verify,
    tree: built.tree,
    top: built.path,
  }
}

function failing(commands: readonly CommandTry[]): string {
  const last = commands.at(-1)
  if (last === undefined) return ''
  return last.failing === '' ? `${commandText(last)} ${endText(last.end)} and printed nothing` : last.failing
}
