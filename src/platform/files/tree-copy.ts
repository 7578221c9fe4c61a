import { lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { type Copied, type CopyBudget, copyFile } from './copy-file.ts'

/**
 * Changes single entries of a copy of a working tree. An agent chose the names and contents of both: no entry is written
 * through a link, and nothing but regular files and links is copied.
 */
export interface TreeCopy {
  /** Brings an entry to the state that it has in the original, also if it is gone there. */
  copy(path: string): Promise<Copied>
  remove(path: string): Promise<void>
  /** An empty folder of the copy's own. */
  makeFolder(path: string): Promise<void>
  /** A link to the original, for what is too large to copy and is not to be changed. */
  link(path: string): Promise<void>
}

/** `budget`: for all that is copied. */
export function treeCopy({ from, to, budget }: { from: string; to: string; budget: CopyBudget }): TreeCopy {
  /** Makes way for an entry. undefined: the path does not lead below the copy. */
  const cleared = async (path: string): Promise<string | undefined> => {
    const below = normalize(path).replace(/\/+$/, '')
    if (below === '.' || below === '..' || below.startsWith('../') || below.startsWith('/')) return undefined
    makeRealFolder(to, dirname(below))
    const target = join(to, below)
    await rm(target, { recursive: true, force: true })
    return target
  }
  return {
    async copy(path) {
      const target = await cleared(path)
      const source = lstatSync(join(from, path), { throwIfNoEntry: false })
      if (target === undefined || source === undefined) return 'gone'
      if (source.isFile()) return await copyFile(join(from, path), target, budget)
      if (!source.isSymbolicLink()) return 'gone'
      symlinkSync(readlinkSync(join(from, path)), target)
      return 'copied'
    },
    async remove(path) {
      await cleared(path)
    },
    async makeFolder(path) {
      const target = await cleared(path)
      if (target !== undefined) mkdirSync(target, { mode: 0o700 })
    },
    async link(path) {
      const target = await cleared(path)
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
