import { join } from 'node:path'
import { isPackageFolder } from '../domain/verify/folders.ts'
import { pacer, stampOf, walk } from '../platform/files/walk.ts'
import type { LookingGit } from '../platform/git/look.ts'
import type { Stamps } from '../ports/workspace.ts'
import { outputOf } from './git.ts'
import { programsOf } from './installed-programs.ts'
import { withContents } from './stamps.ts'

/** Folders of output may hold any number. The store keeps only a launch record of moderate size. */
const MOST = 400
const MOST_OF_FOLDER = 100
const WALK_MS = 300

/**
 * The files that git ignores: only their stamps tell later whether they were changed or written again as they were. Of
 * installed packages those alone that are programs.
 */
export async function ignoredStamps(git: LookingGit, root: string): Promise<Stamps> {
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const listed = (outputOf(await git(list)) ?? '').split('\0').filter((name) => name !== '')
  const times: Record<string, string> = Object.create(null)
  let left = MOST
  const see = (path: string, ctime: bigint | undefined): void => {
    if (ctime === undefined || left-- <= 0) return
    times[path] = String(ctime)
  }
  const pause = pacer()
  for (const path of listed.toSorted(byFolder)) {
    if (left <= 0) break
    await pause()
    if (!path.endsWith('/')) see(path, stampOf(join(root, path))?.ctime)
    else if (isPackageFolder(path))
      for (const name of programsOf(root, path)) see(name, stampOf(join(root, name))?.ctime)
    else {
      const bounds = { maxEntries: Math.min(left, MOST_OF_FOLDER), maxMs: WALK_MS, skips: isPackageFolder }
      await walk(join(root, path), bounds, (file) => see(join(path, file.path), file.ctime))
    }
  }
  return await withContents(root, times)
}

/** Programs first, then single files: folders may be full of output. */
function byFolder(one: string, other: string): number {
  return rank(one) - rank(other)
}

function rank(path: string): number {
  return isPackageFolder(path) ? 0 : path.endsWith('/') ? 2 : 1
}
