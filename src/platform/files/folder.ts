import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FilesSeen } from '../../domain/run/diagnosis/growth.ts'
import { AppError } from '../../errors.ts'
import { explainFile } from './files.ts'

/** Creates the folder with mode 0700. Leaves an existing folder as it is. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw explainFile(error, path)
  }
}

/** The names in a folder; empty if it does not exist. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw explainFile(error, path)
  }
}

/** The first file by name that ends in `end`; undefined: no such file, or no folder. */
export function fileEndingIn(folder: string, end: string): string | undefined {
  const [name] = namesIfAny(folder)
    .filter((each) => each.endsWith(end))
    .sort()
  return name === undefined ? undefined : join(folder, name)
}

/** The path `name` inside each entry of the folder, whether it exists or not. */
export function eachFolder(folder: string, name: string): readonly string[] {
  return namesIfAny(folder).map((each) => join(folder, each, name))
}

/** The files directly in these folders: the newest change, and the size of all; undefined: there is none. */
export function filesSeenIn(folders: readonly string[]): FilesSeen | undefined {
  const files = folders.flatMap((folder) =>
    namesIfAny(folder)
      .slice(0, MOST_LOOKED_AT)
      .flatMap((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }) ?? []),
  )
  if (files.length === 0) return undefined
  return {
    changedAt: Math.max(...files.map(({ mtimeMs }) => mtimeMs)),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  }
}

const MOST_LOOKED_AT = 1000

function namesIfAny(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

export interface Entry {
  readonly kind: 'file' | 'folder'
  readonly size: number
  /** In milliseconds. */
  readonly changedAt: number
}

/** A file or a link, but no folder, pipe or device, which may never end. */
export function isPlainFile(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  return entry !== undefined && (entry.isFile() || entry.isSymbolicLink())
}

/** A file, and no link to one. */
export function isRealFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** A folder, and no link to one. */
export function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Removes a link that leads nowhere. */
export function removeDanglingLink(path: string): void {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (isLink && !existsSync(path)) rmSync(path, { force: true })
}

/** Whether the path is in use, also by a link that leads nowhere. */
export function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Below a file there is nothing.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw error
  }
}

/** The entry at a path, following links; undefined: nothing is there. */
export function entryAt(path: string): Entry | undefined {
  try {
    const entry = statSync(path)
    return { kind: entry.isDirectory() ? 'folder' : 'file', size: entry.size, changedAt: entry.mtimeMs }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw explainFile(error, path)
  }
}

/** Renames a finished temporary file. The result is complete even after a power cut. */
export function putInPlace(temporary: string, path: string): void {
  const fd = openSync(temporary, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temporary, path)
}

export function copyPrivate(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
}

/** That of a repository with millions of files. An agent can make one of any size, and a copy takes as long. */
const MOST_INDEX_BYTES = 512 << 20

export function isTooLargeForIndex(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_INDEX_BYTES
}

/**
 * A copy of an index of git. With the time of its own, files that changed in the second of the original's would count as
 * unchanged: git compares seconds.
 */
export function copyIndex(from: string, to: string): void {
  const { atime, mtime } = statSync(from)
  if (isTooLargeForIndex(from)) {
    throw new AppError('failed', `${from} is larger than an index of git gets`, {
      hint: 'move it away, and say git reset there: git makes it again',
    })
  }
  copyPrivate(from, to)
  utimesSync(to, atime, mtime)
}

/** Gives the file a second name, so that its first name always exists. A folder, which cannot be linked, is moved. */
export function keepAside(path: string, aside: string): void {
  try {
    linkSync(path, aside)
  } catch {
    renameSync(path, aside)
  }
}

export function move(from: string, to: string): void {
  renameSync(from, to)
}

/** A folder with everything in it, too. */
export function removeAll(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

export function remove(path: string): void {
  rmSync(path, { force: true })
}
