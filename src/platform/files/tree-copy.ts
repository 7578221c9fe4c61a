import { constants, copyFileSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/**
 * Changes single entries of a copy of a working tree. An agent chose the names and contents of both: no entry is written
 * through a link, and nothing but regular files and links is copied.
 */
export interface TreeCopy {
  /** Brings an entry to the state that it has in the original, also if it is gone there. */
  copy(path: string): void
  remove(path: string): void
  /** An empty folder of the copy's own. */
  makeFolder(path: string): void
  /** A link to the original, for what is too large to copy and is not to be changed. */
  link(path: string): void
}

export function treeCopy({ from, to }: { from: string; to: string }): TreeCopy {
  /** Makes way for an entry. undefined: the path does not lead below the copy. */
  const cleared = (path: string): string | undefined => {
    const below = normalize(path).replace(/\/+$/, '')
    if (below === '.' || below === '..' || below.startsWith('../') || below.startsWith('/')) return undefined
    makeRealFolder(to, dirname(below))
    const target = join(to, below)
    rmSync(target, { recursive: true, force: true })
    return target
  }
  return {
    copy(path) {
      const target = cleared(path)
      const source = lstatSync(join(from, path), { throwIfNoEntry: false })
      if (target === undefined || source === undefined) return
      if (source.isFile()) copyFileSync(join(from, path), target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      else if (source.isSymbolicLink()) symlinkSync(readlinkSync(join(from, path)), target)
    },
    remove(path) {
      cleared(path)
    },
    makeFolder(path) {
      const target = cleared(path)
      if (target !== undefined) mkdirSync(target, { mode: 0o700 })
    },
    link(path) {
      const target = cleared(path)
      if (target !== undefined) symlinkSync(join(from, normalize(path).replace(/\/+$/, '')), target)
    },
  }
}

/** Every name on the way below the root is a folder of its own afterwards, and no link: an agent could lead fleet elsewhere. */
export function makeRealFolder(root: string, below: string): void {
  let at = root
  for (const name of below.split('/')) {
    if (name === '.' || name === '') continue
    at = join(at, name)
    const entry = lstatSync(at, { throwIfNoEntry: false })
    if (entry?.isDirectory() === true) continue
    if (entry !== undefined) rmSync(at, { force: true })
    mkdirSync(at, { mode: 0o700 })
  }
}
