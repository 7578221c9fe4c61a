import { isAbsolute, join } from 'node:path'
import { madeAgainWith } from '../../domain/run/made-again.ts'
import type { Worktree } from '../../domain/run/worktree.ts'
import { isRealFolder } from '../../platform/files/folder.ts'
import { wayDown } from '../../platform/files/same-folder.ts'
import { stampOf, type Walked, walk } from '../../platform/files/walk.ts'
import type { Checkout } from '../../platform/git/checkout.ts'
import type { LookingGit } from '../../platform/git/look.ts'
import type { KnownOfWork } from '../../ports/worktrees.ts'
import { notBefore, TICK_MS } from '../found-changes.ts'
import { outputOf, whyFailed } from '../git.ts'

const LOOK = { timeoutMs: 2 * 60_000, maxBytes: 64 << 20 }
const WALK = { maxEntries: 1_000_000, maxMs: 5 * 60_000 }

interface Order extends Pick<Worktree, 'madeAt' | 'readyAt'>, Pick<KnownOfWork, 'evidence' | 'byProducts'> {
  readonly own: Checkout
}

/**
 * Why something of a worktree that git does not keep may be work: files that it ignores, files and commits of submodules. It
 * may be if it changed since the worktree was ready: what that was brought and its setup made was there before. undefined:
 * there is no such thing.
 */
export async function unkept(git: LookingGit, worktree: Order): Promise<string | undefined> {
  const { own, madeAt, readyAt } = worktree
  // No agent has worked there.
  if (readyAt === null) return undefined
  // Its setup may have ended in the same millisecond; an agent takes many to start.
  const [isAfter, isOfIt] = [notBefore(readyAt, -1), notBefore(madeAt, TICK_MS)]
  // A file that seems older than the worktree was written after the clock had been set back.
  const isSince = (ctime: bigint): boolean => isAfter(ctime) || !isOfIt(ctime)
  if (await hasOwnObjects(join(own.gitFolder, 'modules'), isSince)) return 'a submodule of it has commits of its own'
  const [ignored, staged] = await Promise.all([
    git(['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'], LOOK),
    git(['ls-files', '-z', '--stage'], LOOK),
  ])
  const [names, entries] = [ignored, staged].map((ran) =>
    outputOf(ran)
      ?.split('\0')
      .filter((each) => each !== ''),
  )
  if (names === undefined || entries === undefined) {
    return `it cannot be looked at (${whyFailed(names === undefined ? ignored : staged)})`
  }
  const submodules = entries.flatMap((entry) => /^160000 [^\t]*\t(.*)/s.exec(entry)?.[1] ?? [])
  const isExpendable = expendableIn(worktree)
  const found: string[] = []
  for (const path of [...outermost(names), ...submodules.map((each) => `${each}/`)]) {
    if (isExpendable(path)) continue
    const full = join(own.root, path)
    const see = (name: string, ctime: bigint | undefined): void => {
      if (ctime !== undefined && isSince(ctime) && !isExpendable(name)) found.push(name)
    }
    if (!isRealFolder(full)) {
      see(path, stampOf(full)?.ctime)
      continue
    }
    const skips = (folder: string): boolean => isExpendable(join(path, folder, '/'))
    const walked = await walk(full, { ...WALK, skips }, (file) => {
      // The link of a submodule to its repository.
      if (file.path !== '.git') see(join(path, file.path), file.ctime)
    })
    const unseen = whyUnseen(walked)
    if (unseen !== undefined) return `${path} in it cannot be looked at: ${unseen}`
  }
  if (found.length === 0) return undefined
  const more = found.length === 1 ? '' : ` and ${found.length - 1} more`
  return `it has files that git does not keep: ${found.sort()[0]}${more}`
}

/** Without those that lie in another of them: git names such folders, too. */
function outermost(names: readonly string[]): readonly string[] {
  const folders = new Set(names.filter((name) => name.endsWith('/')))
  const isInside = (name: string): boolean => {
    for (let end = name.indexOf('/'); end !== -1 && end < name.length - 1; end = name.indexOf('/', end + 1))
      if (folders.has(name.slice(0, end + 1))) return true
    return false
  }
  return names.filter((name) => !isInside(name))
}

/** A file that counted as work is never expendable, wherever it lies. */
function expendableIn({ own: { root }, evidence, byProducts }: Order): (path: string) => boolean {
  const isMadeAgain = madeAgainWith(byProducts)
  const precious = evidence.flatMap((each) => {
    const path = wayDown(root, isAbsolute(each) ? each : join(root, each))
    return path !== undefined && (isMadeAgain(path) || isMadeAgain(`${path}/`)) ? [`${path}/`] : []
  })
  const isOnWay = (path: string): boolean =>
    precious.some((each) => `${path}/`.startsWith(each) || (path.endsWith('/') && each.startsWith(path)))
  return (path) => isMadeAgain(path) && !isOnWay(path)
}

/** Objects that a submodule does not borrow from the primary checkout. */
async function hasOwnObjects(modules: string, isSince: (ctime: bigint) => boolean): Promise<boolean> {
  if (!isRealFolder(modules)) return false
  let found = false
  const walked = await walk(modules, { ...WALK, skips: () => found }, ({ path, ctime }) => {
    if (/(^|\/)objects\/(?!info\/)/.test(path) && isSince(ctime)) found = true
  })
  return found || whyUnseen(walked) !== undefined
}

function whyUnseen({ stopped, unread }: Walked): string | undefined {
  return stopped ?? (unread > 0 ? 'a folder is closed' : undefined)
}
