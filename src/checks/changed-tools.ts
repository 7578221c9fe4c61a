import { basename, dirname, join } from 'node:path'
import { isPackageFolder } from '../domain/verify/folders.ts'
import type { Guarded } from '../domain/verify/tamper.ts'
import { isOther } from '../platform/files/content-stamp.ts'
import { fileTimes, madeAt, stampOf, walk } from '../platform/files/walk.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import type { LookingGit } from '../platform/git/look.ts'
import type { GitBase } from '../ports/workspace.ts'
import { LONG_LIST, namesIn, outputOf } from './git-facts.ts'
import type { GuardedChange } from './guarded-changes.ts'

const WALK = { maxEntries: 300_000, maxMs: 60_000 }
/** An agent could change any number. */
const MOST = 200
const WAS_INSTALLED = 'was installed before it and changed since'

interface Order {
  readonly base: GitBase
  /** When the work began, in milliseconds. */
  readonly since: number
  readonly guards: (paths: readonly string[]) => readonly Guarded[]
}

/**
 * Installed tools that were changed since the work began: git ignores them, so both verifications would run them as they are
 * now. A package manager puts other files in the place of old ones, together with their folder; it edits none, so a new or
 * newly installed package counts as no change.
 */
export async function changedTools(
  git: LookingGit,
  { root }: Pick<Checkout, 'root'>,
  { base, since, guards }: Order,
): Promise<readonly GuardedChange[]> {
  const stamped = Object.entries(base.ignored ?? {}).flatMap(([path, stamp]) => {
    const now = stampOf(join(root, path))
    // Without a stamp of its content it could be the same one, installed again.
    const isChanged = now !== undefined && stamp.includes(' ') && isOther(stamp, String(now.ctime), join(root, path))
    return isChanged ? [path] : []
  })
  const programs = stamped.filter(isInPackages)
  const scripts = guards(stamped).filter(({ kind }) => kind === 'script')
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const ignored = namesIn(await outputOf(git, list, LONG_LIST))
  const found = new Set([...programs, ...scripts.map(({ path }) => path)])
  for (const folder of ignored.filter((path) => path.endsWith('/') && isPackageFolder(path)))
    for (const path of await editedIn(root, folder, since)) found.add(path)
  return [...found]
    .slice(0, MOST)
    .map((path) => ({ path, kind: 'script', from: null, lacksBase: WAS_INSTALLED }) as const)
}

function isInPackages(path: string): boolean {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) if (isPackageFolder(folder)) return true
  return false
}

/** Files that were there before and have other contents, or stand beside files that were there before. */
async function editedIn(root: string, folder: string, since: number): Promise<readonly string[]> {
  const found: string[] = []
  const below = join(root, folder)
  const skips = (path: string): boolean => isCache(basename(path))
  await walk(below, { ...WALK, skips }, ({ path, ctime }) => {
    if (ctime < BigInt(Math.trunc(since)) * 1_000_000n || isWritten(path) || found.length >= MOST) return
    if (isEdited(join(below, path), since)) found.push(join(folder, path))
  })
  return found
}

/** Tools keep caches and records beside the packages. */
function isCache(name: string): boolean {
  return name === '__pycache__' || (name.startsWith('.') && name !== '.pnpm')
}

const WRITTEN = /(?:^|\/)(?:composer\/[^/]*|autoload\.php|[^/]*\.py[co]|\.[^/]*)$/

/** Package managers write these anew whenever they install something. Programs are known by their contents. */
function isWritten(path: string): boolean {
  return WRITTEN.test(path) || /^(?:\.bin|bin|Scripts)\//.test(path)
}

function isEdited(path: string, since: number): boolean {
  const times = fileTimes(path)
  if (times?.made === undefined) return false
  // A link to a file that stores share changes its time with each further link.
  if (times.links > 1 && times.modified < since) return false
  if (times.made < since) return true
  const folder = dirname(path)
  return !isContainer(folder) && (madeAt(folder) ?? since) < since
}

/** A folder in which packages come and go. */
function isContainer(folder: string): boolean {
  return isPackageFolder(folder) || /^@|^\.pnpm$/.test(basename(folder))
}
