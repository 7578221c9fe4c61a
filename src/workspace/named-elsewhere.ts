import { dirname, isAbsolute, join, relative } from 'node:path'
import type { FoundFile } from '../domain/evidence/found-changes.ts'
import { isPlainFile } from '../platform/files/folder.ts'
import { stampOf } from '../platform/files/walk.ts'
import { checkoutAt } from '../platform/git/checkout.ts'
import { commitBefore } from '../platform/git/commit-before.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import { at, homeIn, notBefore, TICK_MS } from './found-changes.ts'
import { outputOf } from './git.ts'

const MOST_IGNORED = 200

interface Named {
  readonly root: string
  readonly home: string
  readonly since: number
  /** Spelled as changes are. */
  readonly named: ReadonlySet<string>
  /** Paths that were found in another way, or are known to be unchanged. */
  readonly known: (path: string) => boolean
}

/**
 * Files that an agent's tools name as written where fleet does not look: in another checkout, a sibling for example, and
 * where git ignores them.
 */
export async function namedElsewhere(
  git: LookingGit | undefined,
  { root, home, since, named, known }: Named,
): Promise<FoundFile[]> {
  const fresh = notBefore(since, TICK_MS)
  const written = [...named].flatMap((path): FoundFile[] => {
    if (known(path) || /(?:^|\/)\.git(?:\/|$)/.test(path)) return []
    const full = isAbsolute(path) ? path : join(root, path)
    const stamp = isPlainFile(full) ? stampOf(full) : undefined
    return stamp === undefined || !fresh(stamp.ctime) ? [] : [{ path, when: at(stamp.ctime) }]
  })
  const isOfHome = homeIn('/', home)
  const outside = written.filter(({ path }) => isAbsolute(path) && !isOfHome(path.slice(1)))
  const elsewhere = await changedInCheckouts(outside, since)
  const inside = written.filter(({ path }) => !isAbsolute(path)).slice(0, MOST_IGNORED)
  if (git === undefined) return [...elsewhere, ...inside]
  const ignored = await ignoredBy(
    git,
    inside.map(({ path }) => path),
  )
  return [...elsewhere, ...inside.filter(({ path }) => ignored.has(path))]
}

async function ignoredBy(git: LookingGit, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set()
  const ignored = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z', '--', ...paths]
  return new Set((outputOf(await git(['--literal-pathspecs', ...ignored])) ?? '').split('\0'))
}

/** Those in another checkout that are not as its commit before the run had them. */
async function changedInCheckouts(files: readonly FoundFile[], since: number): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  const commits = new Map<string, string | undefined>()
  for (const file of files) {
    const checkout = checkoutAt(dirname(file.path))
    if (checkout === undefined) continue
    const { root } = checkout
    const isSame = await looking(checkout, process.env, async (git) => {
      if (!commits.has(root)) commits.set(root, await commitBefore(git, since))
      const commit = commits.get(root)
      if (commit === undefined) return false
      const path = relative(root, file.path)
      if (outputOf(await git(['cat-file', '-e', `${commit}:${path}`])) === undefined) return false
      return (
        outputOf(await git(['--literal-pathspecs', 'diff', '--quiet', ...PLAINLY, commit, '--', path])) !== undefined
      )
    })
    if (!isSame) found.push(file)
  }
  return found
}

const PLAINLY = ['--no-ext-diff', '--no-textconv']
