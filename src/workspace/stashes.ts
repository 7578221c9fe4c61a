import { join } from 'node:path'
import { readEnd } from '../platform/files/attempt-folder.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import type { LookingGit } from '../platform/git/look.ts'
import { outputOf } from './git.ts'
import { blobId } from './weigh.ts'

const MOST = 5
const LOG_BYTES = 1 << 14
const MOST_PATHS = 200

/** The newest stashes of a repository. */
export function stashesOf({ commonFolder }: Pick<Checkout, 'commonFolder'>): readonly string[] {
  const lines = (readEnd(join(commonFolder, 'logs', 'refs', 'stash'), LOG_BYTES) ?? '').split('\n')
  const ids = lines.flatMap((line) => /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? [])
  return [...new Set(ids)].slice(-MOST)
}

/** The paths that stand as a stash has them: taken out of it, and no work. */
export async function asStashed(
  git: LookingGit,
  stashes: readonly string[],
  { root, paths }: { root: string; paths: readonly string[] },
): Promise<ReadonlySet<string>> {
  const looked = paths.slice(0, MOST_PATHS)
  if (stashes.length === 0 || looked.length === 0) return new Set()
  const stashed = new Map<string, Set<string>>()
  // Its third parent has the files that git did not track.
  for (const tree of stashes.flatMap((id) => [id, `${id}^3`])) {
    const text = outputOf(await git(['ls-tree', '-r', '-z', tree, '--', ...looked])) ?? ''
    for (const entry of text.split('\0')) {
      const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? []
      if (id !== undefined && path !== undefined) stashed.set(path, (stashed.get(path) ?? new Set()).add(id))
    }
  }
  const isAsStashed = (path: string, ids: ReadonlySet<string>): boolean => {
    const [some = ''] = ids
    return ids.has(blobId(join(root, path), some.length === 64 ? 'sha256' : 'sha1') ?? '')
  }
  return new Set([...stashed].filter(([path, ids]) => isAsStashed(path, ids)).map(([path]) => path))
}
