import { accessSync, chmodSync, constants, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REASONS } from './files.ts'
import { namesIn } from './folder.ts'
import { ownUid } from './owner.ts'

export interface Access {
  /** Paths that group or others can access, and those of them that they can change. */
  readonly loose: readonly string[]
  readonly writable: readonly string[]
  /** Paths that belong to somebody else than this user. */
  readonly foreign: readonly string[]
}

/** The users who can access the files of a home. Skips worktrees, whose permissions belong to their project. */
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
    // An agent may have locked the folder of its task.
    const isOpen = entry.isDirectory() && (entry.mode & 0o500) === 0o500
    if (isOpen && path !== join(home, 'worktrees')) for (const name of namesIn(path)) visit(join(path, name))
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

/** Why no file can be made in one of these folders, in one sentence. One that does not exist can be made. */
export function unwritable(folders: readonly string[]): string | undefined {
  for (const path of folders) {
    try {
      accessSync(path, constants.W_OK | constants.X_OK)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') return `${path} cannot be written: ${REASONS[code] ?? code}`
    }
  }
  return undefined
}

export function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** `hidden`: the file system shows one owner and one mode, whatever is set, as that of another machine may. */
export type Ownership = 'shown' | 'hidden'

/** A folder of this user's and no link, that no other user can write to. */
export function isOwnFolder(path: string, access: Ownership): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry?.isDirectory() !== true) return false
  return access === 'hidden' || (entry.uid === process.getuid?.() && (entry.mode & 0o022) === 0)
}

/** A file of this user's and no link, that its owner can start and no other user can write to. */
export function isRunnableFile(path: string, access: Ownership): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry?.isFile() !== true || (entry.mode & 0o100) === 0) return false
  return access === 'hidden' || (entry.uid === process.getuid?.() && (entry.mode & 0o022) === 0)
}

/** Gives the owner all access to a folder again, as far as that is possible. */
export function unlock(folder: string): void {
  const mode = lstatSync(folder, QUIETLY)?.mode ?? 0o700
  if ((mode & 0o700) !== 0o700) chmodSync(folder, (mode & 0o777) | 0o700)
}
