import { accessSync, chmodSync, constants, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { namesIn } from './folder.ts'
import { ownUid } from './owner.ts'

export interface Access {
  /** Paths that group or others can access, and those of them that they can change. */
  readonly loose: readonly string[]
  readonly writable: readonly string[]
  /** Paths that belong to somebody else than this user. */
  readonly foreign: readonly string[]
}

/** Who can access the files of a home. Skips worktrees, whose permissions belong to their project. */
export function accessIn(home: string): Access {
  const access = { loose: [] as string[], writable: [] as string[], foreign: [] as string[] }
  const own = ownUid()
  const visit = (path: string): void => {
    // The home itself may be reached through a link.
    const entry = path === home ? statSync(path, QUIETLY) : lstatSync(path, QUIETLY)
    if (entry === undefined || entry.isSymbolicLink()) return
    if ((entry.mode & 0o077) !== 0) access.loose.push(path)
    if ((entry.mode & 0o022) !== 0) access.writable.push(path)
    const isForeign = own !== undefined && entry.uid !== own
    if (isForeign) access.foreign.push(path)
    // The folder of somebody else may not be readable; it goes back to its owner as a whole.
    if (isForeign && path !== home) return
    if (entry.isDirectory() && path !== join(home, 'worktrees'))
      for (const name of namesIn(path)) visit(join(path, name))
  }
  visit(home)
  return access
}

/** Paths in a home that group or others can access. */
export function looseIn(home: string): readonly string[] {
  return accessIn(home).loose
}

const QUIETLY = { throwIfNoEntry: false } as const

/** Whether others can put another folder in the place of this one: its parent is open to all, and not like /tmp. */
export function isReplaceable(path: string): boolean {
  const parent = statSync(dirname(path), QUIETLY)
  return parent !== undefined && (parent.mode & 0o002) !== 0 && (parent.mode & 0o1000) === 0
}

/** Removes all permissions of group and others; the owner's stay. */
export function tighten(paths: readonly string[]): void {
  for (const path of paths) {
    const entry = lstatSync(path)
    chmodSync(path, entry.isDirectory() ? 0o700 : (entry.mode & 0o700) | 0o600)
  }
}

export function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
