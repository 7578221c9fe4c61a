import { join } from 'node:path'
import { BeginningCheck } from '../../platform/files/beginning-check.ts'
import { removeBelow, standingBelow } from '../../platform/files/below.ts'
import { isPlainFile } from '../../platform/files/folder.ts'
import { branchOf, type Checkout } from '../../platform/git/checkout.ts'
import type { IndexLock } from '../../platform/git/index-lock.ts'
import { type OwnerGit, ownerGit } from '../../platform/git/owner-git.ts'
import type { RepositoryPrograms } from '../../platform/git/repository-programs.ts'
import { outputOf } from '../git.ts'
import { said } from './said.ts'

export interface Broken {
  readonly lock: IndexLock
  readonly checkout: Checkout
  readonly programs: RepositoryPrograms
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
}

/**
 * Puts a checkout in order whose fast-forward broke off: forward if the branch has moved, otherwise back. It changes files
 * that git was about to change, and of these only those that are as git had them before or after, whole or in part: all else
 * is a person's. Releases the lock. Returns why not, and then it holds the lock still, so that no half of a commit is
 * committed.
 */
export async function mendCheckout({ lock, ...place }: Broken): Promise<string | undefined> {
  const { checkout } = place
  return await ownerGit(place, async (git, { folder }) => {
    const { target, to, isClear } = lock.mark
    const tip = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${target}`])
    const hasMoved = outputOf(tip)?.trim() === to && branchOf(checkout) === target
    const how = { git, lock, root: checkout.root, toIndex: join(folder, 'fleet-index-to') }
    const why = hasMoved ? await complete(how) : isClear ? await restore(how) : undefined
    if (why === undefined) lock.release()
    return why
  })
}

interface How {
  readonly git: OwnerGit
  readonly lock: IndexLock
  readonly root: string
  /** Where an index can be made. */
  readonly toIndex: string
}

/** The files are those of the new commit; the index may not be. */
async function complete({ git, lock }: How): Promise<string | undefined> {
  const { copy: index, mark } = lock
  if (!isPlainFile(index) || !(await refresh(git, index))) lock.copyIndex()
  const read = await git(['read-tree', '-i', '-m', mark.from, mark.to], { index })
  if (outputOf(read) === undefined) return said(read)
  await refresh(git, index)
  lock.publish()
  return undefined
}

interface Change {
  readonly path: string
  /** The id of its contents; undefined: the commit has no such file. */
  readonly inFrom: string | undefined
  readonly inTo: string | undefined
}

async function restore(how: How): Promise<string | undefined> {
  const { git, lock, root } = how
  const { from, to } = lock.mark
  const listed = await git(['diff-tree', '-r', '-z', '--no-renames', '--raw', from, to])
  const text = outputOf(listed)
  if (text === undefined) return said(listed)
  const changes = changesIn(text)
  lock.copyIndex()
  const kept = await ofPeople(how, changes)
  if (typeof kept === 'string') return kept
  const gits = changes.filter(({ path }) => !kept.has(path))
  for (const { path, inFrom } of gits) {
    if (inFrom === undefined && standingBelow(root, path) === 'file') removeBelow(root, path)
  }
  // Where case does not count, a file that was removed may have been one of the old ones, too.
  const differs = await differing(git, lock.copy)
  if (typeof differs === 'string') return differs
  const input = gits
    .filter(({ path, inFrom }) => inFrom !== undefined && differs.has(path) && isRoomFor(standingBelow(root, path)))
    .map(({ path }) => `${path}\0`)
    .join('')
  const written = await git(['checkout-index', '-f', '-q', '-z', '--stdin'], { index: lock.copy, input })
  return outputOf(written) === undefined ? said(written) : undefined
}

/** Those of the files that stand neither as before nor as git leaves them when it changes them. */
async function ofPeople(how: How, changes: readonly Change[]): Promise<ReadonlySet<string> | string> {
  const { git, lock, root, toIndex } = how
  const before = await differing(git, lock.copy)
  if (typeof before === 'string') return before
  const others = changes.filter(
    ({ path, inFrom }) => (inFrom === undefined || before.has(path)) && standingBelow(root, path) === 'file',
  )
  const kept = new Set<string>()
  if (others.length === 0) return kept
  const read = await git(['read-tree', lock.mark.to], { index: toIndex })
  if (outputOf(read) === undefined) return said(read)
  const after = await differing(git, toIndex)
  if (typeof after === 'string') return after
  for (const change of others) {
    const isWhole = change.inTo !== undefined && !after.has(change.path)
    if (!isWhole && !(await isPartOf(how, change))) kept.add(change.path)
  }
  return kept
}

/** A folder there may hold files of a person, and git would remove them. */
function isRoomFor(stands: ReturnType<typeof standingBelow>): boolean {
  return stands === 'nothing' || stands === 'file'
}

/** Whether git was ended while it wrote this file, now or when it was restored. */
async function isPartOf({ git, root }: How, { path, inFrom, inTo }: Change): Promise<boolean> {
  for (const id of [inTo, inFrom]) {
    if (id === undefined) continue
    using check = new BeginningCheck(join(root, path))
    const argv = ['cat-file', '--filters', `--path=${path}`, id]
    const run = await git(argv, { take: (bytes) => check.take(bytes), maxBytes: Number.POSITIVE_INFINITY })
    if (outputOf(run) !== undefined && check.isBeginning) return true
  }
  return false
}

/** The files that are not as an index has them. */
async function differing(git: OwnerGit, index: string): Promise<ReadonlySet<string> | string> {
  await refresh(git, index)
  const run = await git(['diff-files', '-z', '--name-only', '--no-ext-diff', '--ignore-submodules'], { index })
  const paths = outputOf(run)
  return paths === undefined ? said(run) : new Set(paths.split('\0'))
}

/** false: it is no index. */
async function refresh(git: OwnerGit, index: string): Promise<boolean> {
  const run = await git(['update-index', '-q', '--refresh'], { index })
  // 1: files differ.
  return run.kind === 'ended' && (run.code === 0 || run.code === 1)
}

const MODULE = '160000'
const NONE = /^0+$/

/** Submodules keep their files. */
function changesIn(text: string): Change[] {
  const parts = text.split('\0')
  const changes: Change[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [fromMode = '', toMode = '', inFrom = '', inTo = ''] = (parts[at] ?? '').slice(1).split(' ')
    const id = (mode: string, each: string): string | undefined =>
      mode === MODULE || NONE.test(each) ? undefined : each
    const change = { path: parts[at + 1] ?? '', inFrom: id(fromMode, inFrom), inTo: id(toMode, inTo) }
    if (change.inFrom !== undefined || change.inTo !== undefined) changes.push(change)
  }
  return changes
}
