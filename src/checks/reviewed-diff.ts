import { isAbsolute } from 'node:path'
import { MOST_DIFF_BYTES } from '../domain/review/agent-review.ts'
import type { Changes } from '../domain/run/changes.ts'
import { checkoutIn } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import {
  commitsElsewhere,
  DIFF_FORM,
  entriesOf,
  portions,
  stateBefore,
  untrackedAmong,
} from '../platform/git/work-files.ts'
import type { Base } from '../ports/workspace.ts'

/** The changes of a run as a text that a reviewer reads. */
export interface ReviewedDiff {
  readonly text: string
  /** Changed files that it does not show, or only in part. */
  readonly leftOut: readonly string[]
}

/** Each is one call of git. */
const MOST_NEW = 200
/** Of which none counts as shown if the text ends within them. */
const TOGETHER = 100

const DIFF = ['--literal-pathspecs', 'diff', ...DIFF_FORM]

/**
 * The changes of these files since the base: those that git tracks, new ones, and commits that the checked-out branch does not
 * contain, as of a branch that was pushed and deleted. undefined: no diff can be made.
 */
export async function reviewedDiff(base: Base | undefined, changes: Changes): Promise<ReviewedDiff | undefined> {
  const checkout = base?.kind === 'git' ? checkoutIn(base.root) : undefined
  if (checkout === undefined || base?.kind !== 'git') return undefined
  return await looking(checkout, process.env, async (git) => {
    const since = await stateBefore(git, base.head)
    if (since === undefined) return undefined
    const changed = await entriesOf(git, [...DIFF, '--name-only', '--no-renames', '-z', since, '--'])
    if (changed === undefined) return undefined
    const all = textOfWork(git)
    const [own, known] = [new Set(changes.files), new Set(changed)]
    const tracked = changed.filter((file) => own.has(file))
    for (const some of portions(tracked, TOGETHER)) await all.add([...DIFF, since, '--', ...some], some)
    // A file that is not new either is on a branch that is not checked out.
    const hidden = changes.files.filter((file) => !known.has(file) && !isAbsolute(file))
    for (const file of (await untrackedAmong(git, checkout.root, hidden)).slice(0, MOST_NEW)) {
      await all.add([...DIFF, '--no-index', '--', '/dev/null', file === '-' ? './-' : file], [file])
    }
    for (const commit of await commitsElsewhere(git, changes.commits)) {
      const shown = await entriesOf(git, ['diff-tree', '-r', '--root', '--no-commit-id', '--name-only', '-z', commit])
      await all.add(['diff-tree', '-p', '-r', '--root', '--cc', ...DIFF_FORM, commit], shown ?? [])
    }
    const leftOut = changes.files.filter((file) => !all.shown.has(file))
    return all.text() === '' ? undefined : { text: all.text(), leftOut }
  })
}

const LIMITS = { timeoutMs: 60_000, maxBytes: 1 << 30 }

function textOfWork(git: LookingGit) {
  const parts: Buffer[] = []
  const shown = new Set<string>()
  let left = MOST_DIFF_BYTES
  return {
    shown,
    text: () => Buffer.concat(parts).toString('utf8'),
    async add(argv: readonly string[], files: readonly string[]): Promise<void> {
      if (left <= 0) return
      const before = left
      const take = (bytes: Uint8Array): void => {
        if (left > 0) parts.push(Buffer.from(bytes.subarray(0, left)))
        left -= bytes.length
      }
      const ended = await git(argv, { ...LIMITS, take })
      // It exits with 1 for a new file, because that differs from nothing.
      const isWhole = ended.kind === 'ended' && (ended.code === 0 || ended.code === 1)
      if (isWhole && left >= 0 && left < before) for (const file of files) shown.add(file)
    },
  }
}
