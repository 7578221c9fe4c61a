import type { LookingGit } from '../platform/git/look.ts'
import { ABOUT_FEW, entriesOf } from '../platform/git/work-files.ts'
import type { Dirty } from './dirty-paths.ts'
import { type Difference, outputOf } from './git.ts'

/** Tracked paths that differ from a commit. */
export type Moved = ReadonlyMap<string, Difference>

/** More of them cost more to match with each path of a large repository than a look at all of its files. */
const MOST_LITERAL = 50

const PLAINLY = ['--no-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty']

/**
 * Tracked paths that differ from the commit before the run; undefined: git cannot tell. Those that differ from HEAD are known,
 * and those that HEAD has changed are told by the two commits. Only a path that is both is compared by git, which reads the
 * whole index of a large repository for that.
 */
export async function differingFrom(
  git: LookingGit,
  before: string | null,
  { head, paths }: Dirty,
): Promise<Moved | undefined> {
  if (before === null || head === undefined) return undefined
  const committed =
    head === before ? '' : outputOf(await git(['diff-tree', '-r', '--raw', '-z', ...PLAINLY, before, head]))
  if (committed === undefined) return undefined
  const entries = differences(committed)
  const moved = new Map<string, Difference>(entries)
  const open = [...entries].filter(([, { isSubmodule }]) => isSubmodule).map(([path]) => path)
  for (const { path, tracked, sinceHead } of paths) {
    if (!tracked) continue
    if (sinceHead === undefined || entries.has(path)) open.push(path)
    else moved.set(path, sinceHead)
  }
  if (open.length === 0) return moved
  for (const path of open) moved.delete(path)
  const only = open.length <= MOST_LITERAL ? open : []
  const how = only.length > 0 ? ABOUT_FEW : []
  const text = outputOf(await git([...how, 'diff', '--raw', '-z', ...PLAINLY, before, '--', ...only]))
  if (text === undefined) return undefined
  for (const [path, difference] of differences(text)) moved.set(path, difference)
  return moved
}

/** Of `--raw -z`. */
function differences(text: string): ReadonlyMap<string, Difference & { readonly isSubmodule: boolean }> {
  const parts = text.split('\0')
  const found = new Map<string, Difference & { readonly isSubmodule: boolean }>()
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [before = '', after = '', , , status] = (parts[i] as string).split(' ')
    found.set(parts[i + 1] as string, {
      isNew: status === 'A',
      hasOtherMode: status === 'M' && before.slice(1) !== after,
      isSubmodule: before.slice(1) === SUBMODULE || after === SUBMODULE,
    })
  }
  return found
}

const SUBMODULE = '160000'

/** Tracked files of which nothing but the mode differs from the commit before the run. */
export async function modesAlone(
  git: LookingGit,
  before: string | null,
  moved: Moved | undefined,
): Promise<ReadonlySet<string>> {
  const paths = [...(moved ?? [])].filter(([, { hasOtherMode }]) => hasOtherMode).map(([path]) => path)
  if (before === null || paths.length === 0) return new Set()
  const only = paths.length <= MOST_LITERAL ? paths : []
  const how = ['--literal-pathspecs', 'diff', '--numstat', '-z', ...PLAINLY]
  const entries = await entriesOf(git, [...how, before, '--', ...only])
  const same = new Set(entries?.flatMap((line) => /^0\t0\t(.*)$/s.exec(line)?.[1] ?? []))
  return new Set(paths.filter((path) => same.has(path)))
}
