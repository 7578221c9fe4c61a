import { dirname, isAbsolute, join, relative } from 'node:path'
import { entryAt, isPlainFile } from '../../platform/files/folder.ts'
import { madeAt } from '../../platform/files/walk.ts'
import { type Checkout, checkoutAt } from '../../platform/git/checkout.ts'
import { commitBefore } from '../../platform/git/commit-before.ts'
import { type LookingGit, looking, readGit } from '../../platform/git/look.ts'
import { portions } from '../../platform/git/work-files.ts'
import type { Stamps } from '../../ports/workspace.ts'
import { DIFF, DIFF_LIMITS, namesOf, readNewFile, textOf } from './diff-of-files.ts'

export interface Outside {
  /** The top folder of the checkout around or beside them. */
  readonly root: string
  readonly startedAt: number
  /** The state before the task: of a repository inside its commit. */
  readonly dirty: Stamps
  readonly env: NodeJS.ProcessEnv
  take(bytes: Uint8Array): void
}

interface Read {
  readonly shown: readonly string[]
  /** A file inside that is gone or as before is none. */
  readonly leftOut: readonly string[]
}

/**
 * Changes where the git of a checkout does not look: in repositories inside it and beside it, each by its own git, and new
 * files where none is. Paths in the diff begin at the checkout.
 */
export async function readOutside(git: LookingGit, names: readonly string[], outside: Outside): Promise<Read> {
  const { root, startedAt, take } = outside
  const shown: string[] = []
  const rest: string[] = []
  const groups = new Map<string, { checkout: Checkout; names: string[] }>()
  for (const name of names) {
    const full = isAbsolute(name) ? name : join(root, name)
    const checkout = checkoutAt(name.endsWith('/') ? full : dirname(full))
    if (checkout === undefined || checkout.root === root) rest.push(name)
    else groups.set(checkout.root, { checkout, names: [...(groups.get(checkout.root)?.names ?? []), name] })
  }
  for (const group of groups.values()) shown.push(...(await readRepository(group, outside)))
  for (const name of rest) {
    const isNew = isAbsolute(name) && isPlainFile(name) && (madeAt(name) ?? 0) >= startedAt
    if (isNew && (await readNewFile(git, { root, name, take }))) shown.push(name)
  }
  const open = names.filter((name) => !shown.includes(name))
  const tracked = await trackedAmong(git, root, open)
  const isThere = (name: string): boolean => entryAt(join(root, name)) !== undefined && !tracked.has(name)
  return { shown, leftOut: open.filter((name) => isAbsolute(name) || isThere(name)) }
}

async function trackedAmong(git: LookingGit, root: string, names: readonly string[]): Promise<ReadonlySet<string>> {
  const inside = names.filter((name) => !isAbsolute(name) && isPlainFile(join(root, name)))
  const tracked = new Set<string>()
  for (const some of portions(inside))
    for (const name of await namesOf(git, ['--literal-pathspecs', 'ls-files', '-z', '--', ...some])) tracked.add(name)
  return tracked
}

/** Returns the names that the diff has. A name that ends in a slash is the repository itself: its commits. */
async function readRepository(
  { checkout, names }: { checkout: Checkout; names: readonly string[] },
  { root, startedAt, dirty, env, take }: Outside,
): Promise<readonly string[]> {
  const way = relative(root, checkout.root)
  const nameOf = new Map(
    names.map((name) => [relative(checkout.root, isAbsolute(name) ? name : join(root, name)), name]),
  )
  return await looking(checkout, env, async (git) => {
    const since = (await stateBefore(git, { known: dirty[`${way}/`], startedAt })) ?? (await emptyTree(git))
    const form = [...DIFF, `--src-prefix=a/${way}/`, `--dst-prefix=b/${way}/`]
    const changed = await namesOf(git, [...DIFF, '--name-only', '--no-renames', '-z', since, '--'])
    const untracked = await namesOf(
      git,
      ['ls-files', '--others', '-z', '--', ...nameOf.keys()].filter((name) => name),
    )
    const isWhole = nameOf.has('')
    const tracked = changed.filter((path) => isWhole || nameOf.has(path))
    for (const some of portions(tracked))
      await readGit(git, ['--literal-pathspecs', ...form, since, '--', ...some], { ...DIFF_LIMITS, take })
    const shown = [...tracked]
    for (const path of untracked.filter((path) => nameOf.has(path) && isPlainFile(join(checkout.root, path))))
      if (await readNewFile(git, { root: checkout.root, name: path, take, form })) shown.push(path)
    const found = shown.flatMap((path) => nameOf.get(path) ?? [])
    return isWhole && tracked.length > 0 ? [...found, nameOf.get('') as string] : found
  })
}

/** The commit that stood there before the task; undefined: there was none. */
async function stateBefore(
  git: LookingGit,
  { known, startedAt }: { known: string | undefined; startedAt: number },
): Promise<string | undefined> {
  const noted = /^R([0-9a-f]{40}(?:[0-9a-f]{24})?)?$/.exec(known ?? '')
  if (noted !== null) return noted[1]
  return await commitBefore(git, startedAt)
}

async function emptyTree(git: LookingGit): Promise<string> {
  return (await textOf(git, ['hash-object', '-t', 'tree', '/dev/null'])).trim()
}
