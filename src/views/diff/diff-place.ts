import { openLedger } from '../../app.ts'
import { MOST_TOUCHED } from '../../domain/run/changes.ts'
import type { Receipt } from '../../domain/run/receipt.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Home } from '../../platform/files/home.ts'
import type { Ledger } from '../../ports/ledger.ts'
import { attemptFolder, attemptsOf, folderOf, mustHave } from '../task-file.ts'
import { type SoFar, workSoFar } from './work-so-far.ts'

/** The folder of an attempt, and its launch record where the ledger has it: the agent can write to the file. */
export interface DiffPlace {
  readonly folder: string
  readonly launch: string | undefined
  /** The files that its runs changed; undefined: that is not known, or they are too many to be kept. */
  readonly own: ReadonlySet<string> | undefined
  /** Tells changes of its runs that `own` does not have: of one that is still under way. */
  readonly soFar?: SoFar
  /** The commits that its runs made, which may be on another branch, or on none here any more. */
  readonly made?: readonly string[]
  /** When the attempt began. */
  readonly startedAt?: number
  /** Its work as it landed, oldest first: its worktree may be gone. */
  readonly landed?: readonly CommitRange[]
  /** The work is in these commits, and what a directory holds by now does not matter. */
  readonly commits?: CommitRange
}

export interface CommitRange {
  readonly repository: string
  readonly base: string
  readonly head: string
}

/** The folder of the attempt that a diff begins with: the first, unless another is named. */
export async function locateDiff(
  home: Home,
  { task: text, attempt }: { task: string; attempt: number | undefined },
): Promise<DiffPlace> {
  const { id, folder } = await folderOf(home, text)
  mustHave(id, 'diff', { folder, attempt })
  const first = attempt ?? attemptsOf(folder)[0] ?? 1
  using ledger = openLedger(home, { readOnly: true })
  const runs = ledger.runsOf(id).filter((run) => attempt === undefined || run.attempt === attempt)
  const run = runs.find((each) => each.attempt === first)
  const receipts = runs.map((each) => ledger.recordsOf(each.id).receipt)
  const files = runs.map((each, i) => filesOf(ledger, each, receipts[i]))
  const soFar = files.includes(undefined) ? workSoFar(ledger, { task: id, runs }) : undefined
  const isKnown = soFar !== undefined || (files.length > 0 && !files.includes(undefined))
  return {
    folder: attemptFolder(folder, first),
    launch: run && ledger.recordsOf(run.id).launch,
    own: isKnown ? new Set(files.flatMap((each) => each ?? [])) : undefined,
    ...(soFar && { soFar }),
    made: receipts.flatMap((receipt) => receipt?.evidence.commits ?? []),
    ...(run && { startedAt: run.startedAt }),
    landed: landedOf(ledger, id, receipts),
  }
}

/** A receipt names a hundred. */
function filesOf(ledger: Ledger, run: Run, receipt: Receipt | undefined): readonly string[] | undefined {
  const { files_changed: named, files_changed_count: count, weak = [], untraced } = receipt?.evidence ?? {}
  if (named == null || count == null) return undefined
  const known = [...named, ...weak.map(({ path }) => path)]
  if (named.length === count) return known
  const { touched = [] } = ledger.seen(run.id)
  const others = new Set(untraced?.files)
  const { files = [], commits = [], refs = [], count: listed = 0 } = untraced ?? {}
  const isWhole = files.length + commits.length + refs.length === listed
  return isWhole && touched.length < MOST_TOUCHED ? touched.filter((path) => !others.has(path)) : undefined
}

function landedOf(ledger: Ledger, task: string, receipts: readonly (Receipt | undefined)[]): readonly CommitRange[] {
  const landing = ledger.landings.of(task)
  if (landing === undefined) return []
  const { repository, base, commit, state } = landing
  const ranges = receipts.flatMap((receipt) => {
    const { result, commit: head, from } = receipt?.landing ?? {}
    return result === 'landed' && head && from !== undefined ? [{ repository, base: from, head }] : []
  })
  const hasLanded = state.at === 'over' && state.landed !== null
  return ranges.length > 0 || !hasLanded ? ranges : [{ repository, base, head: commit }]
}
