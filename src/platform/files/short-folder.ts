import { hash } from 'node:crypto'
import { lstatSync, mkdirSync, readlinkSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './attempt-folder.ts'

/**
 * A folder whose path is short enough for the sockets that programs make in it. The path of a Unix socket has at most 104
 * bytes on macOS and 108 on Linux, and a name such as `vscode-ipc-<uuid>.sock` takes half of that. Where the wanted path is
 * too long, the folder is made in the system's temporary directory, and a link to it stands in its place.
 */

/** macOS gives programs a TMPDIR of 49 bytes. Linux is used to the bare `/tmp`, but has room for an ordinary home. */
const LONGEST = process.platform === 'darwin' ? 49 : 80

export interface ShortFolderOptions {
  /** The longest path, in bytes, that is left as it is. */
  readonly longest?: number
  /** The system's temporary directory. */
  readonly system?: string
}

/** Makes the folder. If no short one can be made, the long one has to do. */
export function makeShortFolder(path: string, { longest = LONGEST, system = '/tmp' }: ShortFolderOptions = {}): void {
  if (Buffer.byteLength(path) > longest && madeElsewhere(path, system)) return
  makeFolder(path)
}

/** The folder itself, where a link of ours stands for it. */
export function shortFolder(path: string, { longest = LONGEST, system = '/tmp' }: ShortFolderOptions = {}): string {
  if (Buffer.byteLength(path) <= longest) return path
  const short = shortPath(path, system)
  try {
    return readlinkSync(path) === short && isOurs(dirname(short)) ? short : path
  } catch {
    return path
  }
}

/** Removes the link. The folder itself is gone, or not ours. */
export function forgetShortFolder(path: string, { longest = LONGEST, system = '/tmp' }: ShortFolderOptions = {}): void {
  if (Buffer.byteLength(path) <= longest) return
  const short = shortPath(path, system)
  try {
    if (readlinkSync(path) === short) rmSync(path, { force: true })
    rmdirSync(dirname(short))
  } catch {
    // There is no link, or other runs have folders there.
  }
}

function madeElsewhere(path: string, system: string): boolean {
  const short = shortPath(path, system)
  // Another run may remove the empty parent in between.
  for (let tries = 0; tries < 2; tries++) {
    try {
      makeParent(dirname(short))
      rmSync(short, { recursive: true, force: true })
      mkdirSync(short, { mode: 0o700 })
      makeFolder(dirname(path))
      symlinkSync(short, path)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false
    }
  }
  return false
}

/** Everybody may write to the temporary directory, so only a folder that is ours and closed to others is used. */
function makeParent(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  if (!isOurs(path)) throw new Error(`${path} belongs to somebody else`)
}

function isOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}

/** The same for the same folder, so that a later supervisor finds it. */
function shortPath(path: string, system: string): string {
  const name = hash('sha256', path).slice(0, 12)
  return `${system}/fleet-${process.getuid?.()}/${name}`
}
