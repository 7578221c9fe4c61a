import { join } from 'node:path'
import { fileBytes } from '../platform/files/content-stamp.ts'
import { isGone, stampOf } from '../platform/files/walk.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import type { LookingGit } from '../platform/git/look.ts'
import { LONG_LIST, namesIn, outputOf } from './git-facts.ts'

const LIST_BYTES = 1 << 20

/**
 * Those of the paths that a sparse checkout leaves out, as it did before the work: they are not there, and nobody removed
 * them. An agent can set one up itself, so its list must be older than the work, or that of the primary checkout.
 */
export async function leftOutBefore(
  git: LookingGit,
  { checkout, since, paths }: { checkout: Checkout; since: number; paths: readonly string[] },
): Promise<readonly string[]> {
  const gone = paths.filter((path) => isGone(join(checkout.root, path)))
  const list = gone.length === 0 ? undefined : listBefore(checkout, since)
  if (list === undefined) return []
  const entries = namesIn(await outputOf(git, ['ls-files', '-z', '-t'], LONG_LIST))
  const skipped = new Set(entries.filter((entry) => entry.startsWith('S ')).map((entry) => entry.slice(2)))
  // The list has the syntax of ignored files, and says what is there.
  const wanted = namesIn(
    await outputOf(git, ['ls-files', '-z', '--cached', '--ignored', `--exclude-from=${list}`], LONG_LIST),
  )
  const isWanted = new Set(wanted)
  return gone.filter((path) => skipped.has(path) && !isWanted.has(path))
}

function listBefore({ gitFolder, commonFolder }: Checkout, since: number): string | undefined {
  const [own, primary] = [gitFolder, commonFolder].map((folder) => join(folder, 'info', 'sparse-checkout'))
  const isOlder = (path: string): boolean => {
    const stamp = stampOf(path)
    return stamp !== undefined && stamp.ctime < BigInt(Math.trunc(since)) * 1_000_000n
  }
  if (own === undefined || primary === undefined) return undefined
  if (isOlder(own)) return own
  const [text, original] = [fileBytes(own, LIST_BYTES), fileBytes(primary, LIST_BYTES)]
  return text !== undefined && original?.equals(text) === true && isOlder(primary) ? own : undefined
}
