import { join } from 'node:path'
import { isPlainFile } from '../files/folder.ts'
import type { LookingGit } from './look.ts'

/** Reads about the files and commits of one run. */

/** Form of every diff: nothing of the user's, and no program. */
export const DIFF_FORM = [
  ...['--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=dirty'],
]

/** For a command about few paths: otherwise git first compares every entry of a large index with them, on many threads. */
export const ABOUT_FEW = ['-c', 'core.preloadIndex=false', '--literal-pathspecs']

const LIMITS = { timeoutMs: 60_000, maxBytes: 1 << 30 }
/** Each is several calls of git. */
const MOST_COMMITS = 100
const MOST_NAMED = 500

/** undefined: git failed. */
export async function textOf(git: LookingGit, argv: readonly string[], input?: string): Promise<string | undefined> {
  const ended = await git(argv, { ...LIMITS, ...(input !== undefined && { input }) })
  return ended.kind === 'ended' && ended.code === 0 ? ended.out.toString('utf8') : undefined
}

/** The entries of an output with -z; undefined: git failed. */
export async function entriesOf(git: LookingGit, argv: readonly string[]): Promise<readonly string[] | undefined> {
  return (await textOf(git, argv))?.split('\0').filter((entry) => entry !== '')
}

/** The commit, or the tree of a repository that had none. */
export async function stateBefore(git: LookingGit, head: string | null): Promise<string | undefined> {
  return head ?? (await textOf(git, ['hash-object', '-t', 'tree', '/dev/null']))?.trim()
}

/** For the arguments of one call. */
export function portions(files: readonly string[], most = MOST_NAMED): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / most)
  return Array.from({ length: count }, (_, i) => files.slice(i * most, (i + 1) * most))
}

/** Those that git does not track, ignored ones among them. */
export async function untrackedAmong(git: LookingGit, root: string, files: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const some of portions(files)) {
    const others = new Set(await entriesOf(git, ['--literal-pathspecs', 'ls-files', '--others', '-z', '--', ...some]))
    found.push(...some.filter((file) => others.has(file) && isPlainFile(join(root, file))))
  }
  return found
}

/** Those that HEAD does not contain, as of a branch that was pushed and deleted; oldest first. */
export async function commitsElsewhere(git: LookingGit, commits: readonly string[]): Promise<readonly string[]> {
  const some = commits.slice(0, MOST_COMMITS)
  if (some.length === 0) return []
  const listed = await textOf(git, ['rev-list', '--ignore-missing', ...some, '^HEAD', '--'])
  const elsewhere = new Set(listed?.split('\n'))
  return some.filter((commit) => elsewhere.has(commit)).reverse()
}
