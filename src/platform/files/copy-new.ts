import { lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Copied, type CopyBudget, copyFile } from './copy-file.ts'

interface NewCopy {
  readonly from: string
  readonly to: string
  readonly name: string
  /** A path on the same file system, where a file is until it is whole: a copy may be killed. */
  readonly partial: string
}

/**
 * Copies the file `name` from one folder to the same place in another, with its mode. A link is copied as one. `exists`:
 * something is there already, or a folder on the way there is a link. `gone`: it is no file.
 */
export async function copyNew({ from, to, name, partial }: NewCopy, budget: CopyBudget): Promise<Copied> {
  const [source, target] = [join(from, name), join(to, name)]
  const entry = lstatSync(source, { throwIfNoEntry: false })
  if (entry === undefined || !(entry.isFile() || entry.isSymbolicLink())) return 'gone'
  if (!makeWay(to, dirname(name))) return 'exists'
  if (entry.isFile()) {
    if (existsAt(target)) return 'exists'
    rmSync(partial, { force: true })
    const copied = await copyFile(source, partial, budget)
    if (copied === 'copied') renameSync(partial, target)
    return copied
  }
  try {
    symlinkSync(readlinkSync(source), target)
    return 'copied'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'exists'
    throw error
  }
}

/** Whether no link or file stands on the way to `name` below the folder. */
export function hasWay(root: string, name: string): boolean {
  const folder = dirname(name)
  if (folder === '.') return true
  if (!hasWay(root, folder)) return false
  return lstatSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory() !== false
}

function existsAt(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Through a link it would leave the folder. */
function makeWay(root: string, folder: string): boolean {
  if (folder === '.') return true
  if (!makeWay(root, dirname(folder))) return false
  const path = join(root, folder)
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry !== undefined) return entry.isDirectory()
  mkdirSync(path)
  return true
}
