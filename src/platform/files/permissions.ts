import { accessSync, chmodSync, constants, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { REASONS } from './files.ts'
import { namesIn } from './folder.ts'

/** Paths in a home that group or others can access. Skips worktrees, whose permissions belong to their project. */
export function looseIn(home: string): string[] {
  const loose: string[] = []
  const visit = (path: string): void => {
    const entry = lstatSync(path, { throwIfNoEntry: false })
    if (entry === undefined || entry.isSymbolicLink()) return
    if ((entry.mode & 0o077) !== 0) loose.push(path)
    if (entry.isDirectory() && path !== join(home, 'worktrees'))
      for (const name of namesIn(path)) visit(join(path, name))
  }
  visit(home)
  return loose
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

/** A folder of this user's and no link, that no other user can write to. */
export function isOwnFolder(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  return entry?.isDirectory() === true && entry.uid === process.getuid?.() && (entry.mode & 0o022) === 0
}

/** A file of this user's and no link, that its owner can start and no other user can write to. */
export function isRunnableFile(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry?.isFile() !== true || entry.uid !== process.getuid?.()) return false
  return (entry.mode & 0o122) === 0o100
}
