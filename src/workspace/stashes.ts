import { join } from 'node:path'
import { readEnd } from '../platform/files/attempt-folder.ts'
import { pacer } from '../platform/files/walk.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import type { LookingGit } from '../platform/git/look.ts'
import { textOf } from '../platform/git/work-files.ts'
import { blobId } from './weigh.ts'

const MOST = 1000
const LOG_BYTES = 1 << 20

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
  if (stashes.length === 0 || paths.length === 0) return new Set()
  const stashed = await blobsOf(git, stashes)
  const isAsStashed = (path: string, ids: ReadonlySet<string>): boolean => {
    const [some = ''] = ids
    return ids.has(blobId(join(root, path), some.length === 64 ? 'sha256' : 'sha1') ?? '')
  }
  const pause = pacer()
  const found = new Set<string>()
  for (const path of paths) {
    await pause()
    const ids = stashed.get(path)
    if (ids !== undefined && isAsStashed(path, ids)) found.add(path)
  }
  return found
}

/** By path: what any of the stashes has there. */
async function blobsOf(git: LookingGit, stashes: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const families = await textOf(git, ['rev-list', '--no-walk', '--parents', '--ignore-missing', ...stashes, '--'])
  const compared = (families ?? '').split('\n').flatMap((family) => {
    const [id, before, , untracked] = family.split(' ')
    if (id === undefined || before === undefined) return []
    return [`${id} ${before}`, ...(untracked === undefined ? [] : [untracked])]
  })
  const input = `${compared.join('\n')}\n`
  const raw = ['diff-tree', '--stdin', '--root', '--no-commit-id', '-r', '-z', '--raw', '--no-renames', '--no-abbrev']
  const parts = ((await textOf(git, raw, input)) ?? '').split('\0')
  const found = new Map<string, Set<string>>()
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [, mode = '', , id = ''] = (parts[i] as string).split(' ')
    const path = parts[i + 1] as string
    if (mode.startsWith('100')) found.set(path, (found.get(path) ?? new Set()).add(id))
  }
  return found
}
