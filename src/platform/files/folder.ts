import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { explainFile } from './files.ts'

/** For its owner alone where it is made; one that is there stays as it is. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw explainFile(error, path)
  }
}

/** The names in a folder; none where there is no folder. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw explainFile(error, path)
  }
}

/** The file of a folder whose name has this end, the first by name; undefined: there is none, or no folder. */
export function fileEndingIn(folder: string, end: string): string | undefined {
  const [name] = namesIfAny(folder)
    .filter((each) => each.endsWith(end))
    .sort()
  return name === undefined ? undefined : join(folder, name)
}

/** The folder of that name in each folder of this one, whether it is there or not. */
export function eachFolder(folder: string, name: string): readonly string[] {
  return namesIfAny(folder).map((each) => join(folder, each, name))
}

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

/** What is at a path, links followed; undefined: nothing. */
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

/** When its inode last changed, which nobody can set, in milliseconds; undefined: there is no such file. */
export function inodeChangedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs
}

/** A finished temporary file takes its place: what stands there is whole, also after a power cut. */
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

/** A second name for the file, so that its first name never points to nothing; a folder is moved. */
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

export function remove(path: string): void {
  rmSync(path, { force: true })
}
