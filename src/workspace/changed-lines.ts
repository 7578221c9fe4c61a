import { isAbsolute, join } from 'node:path'
import {
  addedUp,
  type ChangedLines,
  changedLines,
  type FileLines,
  type LineCount,
  numstatEntry,
} from '../domain/evidence/changed-lines.ts'
import type { Changes } from '../domain/run/changes.ts'
import { readRegular } from '../platform/files/regular-file.ts'
import { pacer } from '../platform/files/walk.ts'
import { type Checkout, checkoutIn } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import {
  ABOUT_FEW,
  commitsElsewhere,
  DIFF_FORM,
  entriesOf,
  portions,
  stateBefore,
  untrackedAmong,
} from '../platform/git/work-files.ts'
import type { Base } from '../ports/workspace.ts'

type Counts = Map<string, LineCount>

const NUMSTAT = ['--numstat', '--no-renames', '-z', ...DIFF_FORM]
/** From here on a look at all files is quicker than one at each. */
const MANY = 1000
/** Of new files, which are read here. */
const MOST_BYTES = 4 << 20
const MOST_NEW = 2000

/** undefined: there is nothing to compare with, or git cannot tell. */
export async function linesSince(base: Base, { files, commits }: Changes): Promise<ChangedLines | undefined> {
  const checkout = base.kind === 'git' ? checkoutIn(base.root) : undefined
  if (checkout === undefined || base.kind !== 'git' || files.length === 0) return undefined
  return await looking(checkout, process.env, async (git) => {
    const since = await stateBefore(git, base.head)
    // An absolute one is in another repository.
    const here = files.filter((file) => !isAbsolute(file))
    const counts = since === undefined ? undefined : await ofTracked(git, since, here)
    if (counts === undefined) return undefined
    const left = () => here.filter((file) => !counts.has(file))
    await addNewFiles(git, { checkout, files: left() }, counts)
    if (left().length > 0) await addCommits(git, commits, counts)
    return changedLines(files, counts)
  })
}

async function ofTracked(git: LookingGit, since: string, files: readonly string[]): Promise<Counts | undefined> {
  const counts: Counts = new Map()
  for (const some of files.length > MANY ? [[]] : portions(files)) {
    const how = some.length > 0 ? ABOUT_FEW : []
    const entries = await numstat(git, [...how, 'diff', ...NUMSTAT, since, '--', ...some])
    if (entries === undefined) return undefined
    for (const { path, ...count } of entries) counts.set(path, count)
  }
  return counts
}

async function addNewFiles(
  git: LookingGit,
  { checkout, files }: { checkout: Checkout; files: readonly string[] },
  counts: Counts,
): Promise<void> {
  if (files.length === 0) return
  const { root } = checkout
  const pause = pacer()
  for (const file of (await untrackedAmong(git, root, files)).slice(0, MOST_NEW)) {
    const added = linesIn(join(root, file))
    counts.set(file, added === undefined ? { added: null, removed: null } : { added, removed: 0 })
    await pause()
  }
}

const [NUL, LINE_END] = [0, 10]

/** As git counts; undefined: it is binary, or too large, or no file. */
function linesIn(path: string): number | undefined {
  try {
    const bytes = readRegular(path, MOST_BYTES, 'refuse')
    if (bytes === undefined || bytes.includes(NUL)) return undefined
    let lines = bytes.length > 0 && bytes.at(-1) !== LINE_END ? 1 : 0
    for (const byte of bytes) if (byte === LINE_END) lines++
    return lines
  } catch {
    return undefined
  }
}

/** Work on a branch that is not checked out any more. */
async function addCommits(git: LookingGit, commits: readonly string[], counts: Counts): Promise<void> {
  const found: Counts = new Map()
  for (const commit of await commitsElsewhere(git, commits)) {
    const entries = await numstat(git, ['diff-tree', '-r', '--root', '--no-commit-id', ...NUMSTAT, commit])
    for (const { path, ...count } of entries ?? []) found.set(path, addedUp(found.get(path), count))
  }
  for (const [path, count] of found) if (!counts.has(path)) counts.set(path, count)
}

async function numstat(git: LookingGit, argv: readonly string[]): Promise<readonly FileLines[] | undefined> {
  return (await entriesOf(git, argv))?.flatMap((entry) => numstatEntry(entry) ?? [])
}
