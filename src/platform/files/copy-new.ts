import { constants, copyFileSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Copies the file `name` from one folder to the same place in another, with its mode. A link is copied as one. false: it was
 * not, because something is there already, a folder on the way there is a link, or it is no file.
 */
export function copyNew({ from, to, name }: { from: string; to: string; name: string }): boolean {
  const [source, target] = [join(from, name), join(to, name)]
  const entry = lstatSync(source, { throwIfNoEntry: false })
  if (entry === undefined || !(entry.isFile() || entry.isSymbolicLink())) return false
  if (!makeWay(to, dirname(name))) return false
  try {
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else copyFileSync(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
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
