import { join } from 'node:path'
import { isOutputFolder, isPackageFolder } from '../domain/verify/folders.ts'
import { madeAt, stampOf } from '../platform/files/walk.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import type { LookingGit } from '../platform/git/look.ts'
import { filesBelow } from './files-below.ts'
import { LONG_LIST, namesIn, outputOf } from './git-facts.ts'

const EXCLUDE = join('info', 'exclude')

/** The list of ignored names that belongs to no commit, if it has changed since the work began. */
export function excludeFile({ commonFolder }: Checkout, since: number): string | undefined {
  return isNewer(join(commonFolder, EXCLUDE), since) ? `.git/${EXCLUDE}` : undefined
}

/**
 * Files that git ignores and that have changed since the work began. Of folders that it ignores as a whole only those are
 * looked into that are ignored by a list which has changed as well, but not installed packages and what a build makes.
 */
export async function changedIgnored(
  git: LookingGit,
  { root, commonFolder }: Checkout,
  since: number,
): Promise<readonly string[]> {
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const ignored = namesIn(await outputOf(git, list, LONG_LIST))
  const found = ignored.filter((path) => !path.endsWith('/'))
  const folders = ignored.filter((path) => path.endsWith('/') && !isPackageFolder(path) && !isOutputFolder(path))
  for (const [folder, by] of await ignoredBy(git, folders)) {
    const source = by.endsWith(`/${EXCLUDE}`) ? join(commonFolder, EXCLUDE) : join(root, by)
    if (isNewer(source, since)) found.push(...(await filesBelow(root, folder)))
  }
  return found.filter((path) => isNewer(join(root, path), since))
}

/** Each path with the list that names it. */
async function ignoredBy(git: LookingGit, paths: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  if (paths.length === 0) return []
  const input = paths.map((path) => `${path}\0`).join('')
  const words = (await outputOf(git, ['check-ignore', '--verbose', '-z', '--stdin'], { input })).split('\0')
  const found: (readonly [string, string])[] = []
  for (let i = 0; i + 3 < words.length; i += 4) found.push([words[i + 3] as string, words[i] as string])
  return found
}

/** Whether a file was made before; false also where the file system does not tell. */
export function wasThere(path: string, since: number): boolean {
  return (madeAt(path) ?? since) < since
}

function isNewer(path: string, since: number): boolean {
  const stamp = stampOf(path)
  return stamp !== undefined && stamp.ctime >= BigInt(Math.trunc(since)) * 1_000_000n
}
