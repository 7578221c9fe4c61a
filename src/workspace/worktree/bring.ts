import { dirname, join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { copyNew, hasWay } from '../../platform/files/copy-new.ts'
import { isRealFolder } from '../../platform/files/folder.ts'
import { pacer } from '../../platform/files/walk.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { type LookingGit, looking, readGit } from '../../platform/git/look.ts'
import type { BringOptions, Refused } from '../../ports/worktrees.ts'
import { outputOf } from '../git.ts'
import { bringingTo } from './partial.ts'
import { checkoutOf } from './place.ts'

const FILE = '.worktreeinclude'
const FILE_BYTES = 64 * 1024
const MOST_PATTERNS = 500
/** More are mostly a folder of dependencies. */
const MOST_FILES = 20_000
/** For all of them together. Files that share their blocks with the originals cost none. */
const MOST_BYTES = 2 ** 31
const LOOK = { timeoutMs: 5 * 60_000, maxBytes: 64 << 20 }

/**
 * Copies files from the primary checkout, as Claude Code reads `.worktreeinclude`: those that match a pattern and that git
 * ignores, here and there. A file that git does not ignore would become part of the task's work.
 */
export async function bring(
  worktree: Worktree,
  { patterns: given, isWanted }: BringOptions,
): Promise<number | Refused | 'stopped'> {
  const { repository, path } = worktree
  const patterns = [...patternsIn(beginningOf(join(repository, FILE), FILE_BYTES) ?? ''), ...given]
  const checkout = checkoutIn(repository)
  if (patterns.length === 0 || checkout === undefined) return 0
  if (patterns.length > MOST_PATTERNS)
    return tooMany(repository, `have ${patterns.length} patterns, and fleet reads at most ${MOST_PATTERNS}`)
  const names = await looking(checkout, process.env, async (git) => {
    const named = new Set(
      await listed(
        git,
        patterns.map((each) => `--exclude=${each}`),
      ),
    )
    return named.size === 0 ? [] : (await listed(git, ['--exclude-standard'])).filter((name) => named.has(name))
  })
  const linked = checkoutOf(worktree, checkout)
  // The throw-away work tree of a landing has a git folder of its own, which fleet has just made.
  const own = isRealFolder(linked.gitFolder) ? linked : (checkoutIn(path) ?? linked)
  // Git refuses to look behind a link.
  const free = names.filter((name) => hasWay(path, name))
  if (free.length > MOST_FILES)
    return tooMany(repository, `name ${free.length} files, and fleet brings at most ${MOST_FILES}`)
  const ignored = await looking(own, process.env, (git) => ignoredIn(git, free))
  const pause = pacer()
  const budget = { bytes: MOST_BYTES, isWanted }
  const partial = bringingTo(path)
  let copied = 0
  for (const name of ignored) {
    await pause()
    if (dirname(name) === '.git') continue
    const result = await copyNew({ from: repository, to: path, name, partial }, budget)
    if (result === 'stopped') return result
    if (result === 'too-large')
      return tooMany(repository, `name files of more than 2 GB, among them ${name}, and fleet brings no more`)
    if (result === 'copied') copied++
  }
  return copied
}

function tooMany(repository: string, what: string): Refused {
  return {
    refused: `${FILE} and worktree_include of ${repository} ${what}: name fewer, and make folders of dependencies with setup`,
  }
}

/** Those that git ignores there as well: the rules of the primary checkout need not be committed. */
async function ignoredIn(git: LookingGit, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return []
  const ran = await git(['check-ignore', '-z', '--stdin'], { ...LOOK, input: `${names.join('\0')}\0` })
  return namesIn(outputOf(ran) ?? '')
}

/** Files that git does not track and that match. */
async function listed(git: LookingGit, which: readonly string[]): Promise<string[]> {
  const parts: Buffer[] = []
  const take = (bytes: Uint8Array): void => void parts.push(Buffer.from(bytes))
  await readGit(git, ['ls-files', '-z', '--others', '--ignored', ...which], { ...LOOK, take })
  return namesIn(Buffer.concat(parts).toString('utf8'))
}

function namesIn(text: string): string[] {
  return text.split('\0').filter((name) => name !== '')
}

function patternsIn(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
}
