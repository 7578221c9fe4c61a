import { isAbsolute, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { askedEvidence } from '../domain/evidence/asked.ts'
import type { Run } from '../domain/run/run.ts'
import type { Worktree } from '../domain/run/worktree.ts'
import { settingsOf } from '../domain/task/settings.ts'
import type { Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Left, Refused, Worktrees } from '../ports/worktrees.ts'

export interface RetiredWorktrees {
  /** Tasks whose worktrees were removed, or would be. */
  readonly removed: readonly string[]
  /** Of closed tasks, but with work that is nowhere else, or in trouble. */
  readonly kept: readonly KeptWorktree[]
}

export interface KeptWorktree extends Pick<Worktree, 'task' | 'path' | 'branch'> {
  readonly why: string
}

export interface RetireOptions {
  readonly ledger: Pick<
    Ledger,
    'together' | 'worktrees' | 'saveWorktree' | 'forgetWorktree' | 'runsOf' | 'recordsOf' | 'landings'
  >
  readonly worktrees: Worktrees
  /** undefined: the task was deleted. */
  taskOf(task: string): Promise<Pick<Task, 'status' | 'metadata'> | undefined>
  /** The patterns of files that the tools of the project in this directory make again. */
  byProductsOf(project: string): readonly string[]
  /** Their last attempt ended before: somebody may still want to look at it. */
  readonly endedBefore: number
  readonly dryRun: boolean
}

/**
 * Removes the worktrees of tasks that are closed, or deleted, and whose work has landed or is none. Their files are out of
 * the way then, and `clearLeft` deletes them.
 */
export async function retireWorktrees(options: RetireOptions): Promise<RetiredWorktrees> {
  const removed: string[] = []
  const kept: KeptWorktree[] = []
  for (const worktree of options.ledger.worktrees()) {
    const { task, path, branch } = worktree
    const retired = await retire(options, worktree).catch(whyNot)
    if (retired === 'removed') removed.push(task)
    else if (retired !== 'goes on') kept.push({ task, path, branch, why: retired.why })
  }
  return { removed, kept }
}

async function retire(
  options: RetireOptions,
  recorded: Worktree,
): Promise<'removed' | 'goes on' | { readonly why: string }> {
  const { worktrees, dryRun } = options
  const over = await whenOver(options, recorded)
  if (over === undefined) return 'goes on'
  const worktree = found(options, recorded)
  if ('refused' in worktree) return { why: worktree.refused }
  const left = await worktrees.whatIsLeft(worktree, over)
  if (left.kind === 'work') return { why: left.why }
  // Reopened meanwhile: an attempt may begin there at any moment.
  if ((await whenOver(options, worktree)) === undefined) return 'goes on'
  return dryRun || (await remove(options, worktree, { last: over.last, left })) ? 'removed' : 'goes on'
}

/** Trouble with one worktree, such as a damaged repository, keeps no other from being removed. */
function whyNot(error: unknown): { readonly why: string } {
  const isOfOne = error instanceof AppError ? error.code !== 'queue' : error instanceof Error && 'syscall' in error
  if (!isOfOne) throw error
  return { why: (error as Error).message }
}

/** Where it is now: its home may have been moved. */
function found({ ledger, worktrees }: RetireOptions, worktree: Worktree): Worktree | Refused {
  const now = worktree.state === 'removing' ? worktree : worktrees.inThisHome(worktree)
  if (now !== worktree && !('refused' in now)) ledger.saveWorktree(now)
  return now
}

interface Over {
  /** Its last run. */
  readonly last: Run | undefined
  /** Where its work was to be, and was. */
  readonly evidence: readonly string[]
  /** The last commit of its branch that landed. */
  readonly landed: string | undefined
  /** Files that its tools make again. */
  readonly byProducts: readonly string[]
}

/** Of a task that is closed or deleted; undefined: it goes on. */
async function whenOver(
  { ledger, taskOf, byProductsOf, endedBefore }: RetireOptions,
  { task, repository, folder }: Worktree,
): Promise<Over | undefined> {
  const runs = ledger.runsOf(task)
  const last = runs.at(-1)
  if (last !== undefined && !(last.phase === 'settled' && (last.endedAt ?? 0) <= endedBefore)) return undefined
  const found = await taskOf(task)
  if (found !== undefined && found.status !== 'closed') return undefined
  const asked = askedEvidence((found && settingsOf(found.metadata).evidence) ?? '')
  const files = runs.flatMap(({ id }) => ledger.recordsOf(id).receipt?.evidence.files_changed ?? [])
  const landing = ledger.landings.of(task)
  const hasLanded = landing?.state.at === 'over' && landing.state.landed !== null
  const at = asked?.kind === 'path' ? (isAbsolute(asked.path) ? asked.path : join(folder, asked.path)) : undefined
  return {
    last,
    evidence: at === undefined ? files : [...files, at],
    landed: hasLanded ? landing.commit : undefined,
    byProducts: byProductsOf(last?.project ?? join(repository, folder)),
  }
}

/**
 * An attempt may begin at any moment, in another process: the ledger decides, and it finds the worktree either whole or out
 * of its place. A removal that is killed is completed by the next. false: an attempt was first.
 */
async function remove(
  { ledger, worktrees }: RetireOptions,
  worktree: Worktree,
  { last, left }: { last: Run | undefined; left: Exclude<Left, { kind: 'work' }> },
): Promise<boolean> {
  const { task } = worktree
  const isFirst = ledger.together(() => {
    const now = ledger.worktrees().find((each) => each.task === task)
    if (!isDeepStrictEqual(now, worktree) || ledger.runsOf(task).at(-1)?.id !== last?.id) return false
    ledger.saveWorktree({ ...worktree, state: 'removing' })
    worktrees.setAside(worktree)
    return true
  })
  if (!isFirst) return false
  const landing = ledger.landings.of(task)
  const isOnlyHere = left.kind === 'landed' && !left.isElsewhere && landing !== undefined
  const rescue = isOnlyHere ? { rescue: `refs/fleet/rescue/${landing.run}` } : {}
  await worktrees.remove(worktree, { tip: left.tip, ...rescue })
  ledger.forgetWorktree(task)
  return true
}
