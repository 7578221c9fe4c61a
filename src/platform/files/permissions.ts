import { accessSync, chmodSync, constants, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from './folder.ts'

/** Paths in a home that group or others can access. Skips worktrees, whose permissions belong to their project. */
export function looseIn(home: string): string[] {
  const loose: string[] = []
  const visit = (path: string): void => {
    const entry = lstatSync(path, { throwIfNoEntry: false })
    if (entry === undefined || entry.isSymbolicLink()) return
    if ((entry.mode & 0o077) !== 0) loose.push(path)
    // An agent may have locked the folder of its task.
    const isOpen = entry.isDirectory() && (entry.mode & 0o500) === 0o500
    if (isOpen && path !== join(home, 'worktrees')) for (const name of namesIn(path)) visit(join(path, name))
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

export function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
