import { join } from 'node:path'
import { isPackageFolder } from '../domain/verify/folders.ts'
import type { TreeCopy } from '../platform/files/tree-copy.ts'
import { pacer, stampOf, walk } from '../platform/files/walk.ts'

/** For all of them together. A copy may cost nothing where files can share their blocks, but fleet cannot know that before. */
const MOST_BYTES = 512 << 20
const MOST_FILES = 50_000

/**
 * Brings what git does not track into a copy of a working tree: what commands make there must not be made through a link in
 * the user's own tree. Installed packages are linked, because they are large, and commands read them alone. Returns the
 * folders that are too large to copy.
 */
export async function copyUntracked(
  { root, copy }: { root: string; copy: TreeCopy },
  paths: readonly string[],
): Promise<readonly string[]> {
  const pause = pacer()
  const leftOut: string[] = []
  const left = { bytes: MOST_BYTES, files: MOST_FILES }
  for (const path of paths) {
    if (isPackageFolder(path)) {
      await copy.link(path)
      continue
    }
    const found = await filesIn(root, path, left)
    if (found === undefined) {
      leftOut.push(path)
      continue
    }
    left.bytes -= found.bytes
    left.files -= found.files.length
    if (path.endsWith('/')) await copy.makeFolder(path)
    for (const file of found.files) {
      await pause()
      // It has grown since it was measured.
      if ((await copy.copy(file)) === 'too-large') leftOut.push(file)
    }
  }
  return leftOut
}

interface Files {
  readonly files: readonly string[]
  readonly bytes: number
}

/** undefined: more than is left. */
async function filesIn(root: string, path: string, left: { bytes: number; files: number }): Promise<Files | undefined> {
  if (!path.endsWith('/')) {
    const bytes = stampOf(join(root, path))?.size ?? 0
    return bytes > left.bytes || left.files < 1 ? undefined : { files: [path], bytes }
  }
  const files: string[] = []
  let bytes = 0
  const bounds = { maxEntries: left.files, maxMs: Number.POSITIVE_INFINITY, skips: isGit }
  const { stopped } = await walk(join(root, path), bounds, ({ path: below, size }) => {
    if (isGit(below)) return
    files.push(join(path, below))
    bytes += size
  })
  return stopped !== undefined || bytes > left.bytes ? undefined : { files, bytes }
}

/** Of a repository inside: it would lead commands of git back to the original, or nowhere. */
function isGit(path: string): boolean {
  return path === '.git' || path.endsWith('/.git')
}
