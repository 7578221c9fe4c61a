import type { HomeStore } from '../app.ts'
import type { Landing } from '../domain/landing/landing.ts'
import { wayOfReviewed } from '../domain/landing/reviewed.ts'
import { type Receipt, receiptText } from '../domain/run/receipt.ts'
import type { Run } from '../domain/run/run.ts'
import { AppError } from '../errors.ts'
import { replacePrivate } from '../platform/files/attempt-folder.ts'
import type { Home } from '../platform/files/home.ts'
import { attemptFolder } from '../views/task-file.ts'

/** The landing of work that a person lets through; undefined: nothing is to land. `sendBack`: the command for that. */
export function landingOf(
  { ledger }: HomeStore,
  {
    run,
    at,
    sendBack,
    ...more
  }: { run: Run; receipt: Receipt | undefined; summary: string; at: number; sendBack: string },
): Landing | undefined {
  const { task, id } = run
  const worktree = ledger.worktreeOf(task)
  const way = wayOfReviewed(run, { ...more, worktree, now: at, before: ledger.landings.of(task) })
  if (way.kind === 'lands') return way.landing
  if (way.kind === 'done') return undefined
  throw new AppError('conflict', `the work of ${task} is not on its branch ${way.branch}, so nothing of it can land`, {
    hint: `${sendBack}; work that left the branch is at refs/fleet/rescue/${id}`,
  })
}

interface Decided {
  readonly run: Run
  readonly landing: Landing | undefined
  /** The receipt with the decision on it. */
  decided(receipt: Receipt): Receipt
}

/** The consequences of a decision that the queue has confirmed. */
export function keepDecision(
  { home, store: { ledger } }: { home: Home; store: HomeStore },
  { run, landing, decided }: Decided,
): void {
  const receipt = ledger.together(() => {
    if (landing !== undefined) ledger.landings.accepted(landing)
    const { receipt } = ledger.recordsOf(run.id)
    if (receipt === undefined) return undefined
    const kept = decided(receipt)
    ledger.amendReceipt(run.id, kept)
    return kept
  })
  if (receipt !== undefined) rewriteReceipt(home, run, receipt)
}

/** The ledger's copy counts; a file that cannot be written takes nothing from the decision. */
function rewriteReceipt(home: Home, { task, attempt }: Run, receipt: Receipt): void {
  try {
    replacePrivate(`${attemptFolder(home.task(task), attempt)}/receipt.json`, receiptText(receipt))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

export function changedMeanwhile(task: string, command: string): AppError {
  return new AppError('conflict', `${task} was changed meanwhile, and was left as it is`, {
    hint: `${command} shows how it stands now`,
  })
}
