import { join } from 'node:path'
import { isOther } from '../platform/files/content-stamp.ts'
import { pacer, stampAbove, stampOf } from '../platform/files/walk.ts'
import type { GitBase, Stamps } from '../ports/workspace.ts'
import { notBefore, TICK_MS } from './found-changes.ts'
import type { DirtyPath } from './git.ts'

/** The paths of a checkout that differed from its commit at a moment. */
export type Dirty = Pick<GitBase, 'root' | 'dirty' | 'dirtyWhole'>

/** The stamp of a path that does not exist. */
export const GONE = 'gone'

export async function stampsOf(root: string, paths: readonly DirtyPath[]): Promise<Stamps> {
  const pause = pacer()
  const stamps: Record<string, string> = Object.create(null)
  for (const { path, submodule } of paths) {
    await pause()
    // A repository inside this one: its own commit tells, and the files in it are listed by themselves.
    if (submodule.startsWith('R')) {
      stamps[path] = submodule
      continue
    }
    const inside = submodule.startsWith('S') ? submodule : ''
    stamps[path] = `${inside}${stampOf(join(root, path))?.ctime ?? GONE}`
  }
  return stamps
}

export function isAsBefore({ root, dirty }: Dirty, path: string): boolean {
  if (!Object.hasOwn(dirty, path)) return false
  const full = join(root, path)
  return !isOther(dirty[path] as string, String(stampOf(full)?.ctime ?? GONE), full)
}

/** Those of the paths that differ from the commit now whose content differs from then, at `since`. */
export async function changedSince(
  { root, dirty, dirtyWhole }: Dirty,
  paths: readonly DirtyPath[],
  since: number,
): Promise<DirtyPath[]> {
  const now = await stampsOf(root, paths)
  const fresh = notBefore(since, TICK_MS)
  const isChanged = ({ path }: DirtyPath): boolean => {
    const full = join(root, path)
    if (Object.hasOwn(dirty, path)) return isOther(dirty[path] as string, now[path] as string, full)
    if (dirtyWhole) return true
    const stamp = stampOf(full) ?? stampAbove(full)
    return stamp !== undefined && fresh(stamp.ctime)
  }
  const pause = pacer()
  const found: DirtyPath[] = []
  for (const each of paths) {
    await pause()
    if (isChanged(each)) found.push(each)
  }
  return found
}
