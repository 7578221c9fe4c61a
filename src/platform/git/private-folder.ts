import {
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { AppError } from '../../errors.ts'
import { beginningOf } from '../files/beginning-of.ts'
import { explainFile } from '../files/files.ts'
import { discardFolder, temporaryFolder } from '../files/temporary-folder.ts'
import type { Checkout } from './checkout.ts'
import { configText, type Setting } from './config-text.ts'

/** The beginning of the names of such folders; `fleet gc` removes those that a killed fleet left. */
export const PRIVATE_FOLDER = 'fleet-git-'

/** The parts that a private folder shares with the repository: history, and the names and contents of what is tracked. */
const SHARED_FOLDERS = ['objects', 'refs', 'reftable', 'logs', 'lfs']
const SHARED_FILES = ['packed-refs', 'shallow']

/**
 * Makes a git folder of fleet's own over the objects and branches of a repository, with `settings` as its only
 * configuration. Git obeys the configuration of the folder that it is given: here it finds no filter, hook, monitor or any
 * other program that an agent could have named, at no moment. Throws AppError for a repository that is damaged.
 */
export function makePrivateFolder(checkout: Checkout, settings: Iterable<Setting>): string {
  return made(temporaryFolder(PRIVATE_FOLDER), checkout, { settings })
}

/** The same at a path where nothing is, with logs of its own, for work that is no part of the checkout's history. */
export function makeSeparateFolder(path: string, checkout: Checkout): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return made(path, checkout, { settings: [], ownLogs: true })
}

/** The folder with the configuration and the attributes of a private folder. */
export function configFolder(folder: string, { gitFolder, commonFolder }: Checkout): string {
  return gitFolder === commonFolder ? folder : join(folder, 'common')
}

interface Filling {
  readonly settings: Iterable<Setting>
  readonly ownLogs?: boolean
}

function made(folder: string, checkout: Checkout, how: Filling): string {
  try {
    fill(folder, checkout, how)
    return folder
  } catch (error) {
    discardFolder(folder)
    throw error instanceof AppError ? error : explainFile(error, folder)
  }
}

function fill(folder: string, checkout: Checkout, { settings, ownLogs = false }: Filling): void {
  const { gitFolder, commonFolder } = checkout
  const linked = gitFolder !== commonFolder
  const common = configFolder(folder, checkout)
  mkdirSync(join(common, 'info'), { recursive: true, mode: 0o700 })
  if (linked) {
    mkdirSync(join(folder, 'info'), { mode: 0o700 })
    writeFileSync(join(folder, 'commondir'), 'common\n')
    writeFileSync(join(common, 'HEAD'), 'ref: refs/heads/none\n')
    share('reftable', { from: gitFolder, to: folder, folder: true })
  }
  writeFileSync(join(folder, 'HEAD'), headOf(gitFolder))
  writeFileSync(join(common, 'config'), configText(settings))
  requireOwnRefs(join(commonFolder, 'refs'))
  for (const name of SHARED_FOLDERS) {
    if (name !== 'logs' || !ownLogs) share(name, { from: commonFolder, to: common, folder: true })
  }
  for (const name of SHARED_FILES) share(name, { from: commonFolder, to: common })
  for (const name of ['exclude', 'attributes']) share(join('info', name), { from: commonFolder, to: common })
  share(join('info', 'sparse-checkout'), { from: gitFolder, to: folder })
  for (const name of readdirSync(gitFolder)) {
    if (name.startsWith('sharedindex.')) share(name, { from: gitFolder, to: folder })
  }
  // Git may be told to use it where it is.
  isShareable(join(gitFolder, 'index'))
}

function share(name: string, { from, to, folder = false }: { from: string; to: string; folder?: boolean }): void {
  if (isShareable(join(from, name), folder)) symlinkSync(join(from, name), join(to, name))
}

/** More are not looked at: nobody makes so many by links. */
const MOST_REFS = 100_000

/**
 * Git walks through links below `refs`, as far as they lead: with one to `/` it would read the whole disk. The folder itself
 * may be a link to that of another repository, as `git-new-workdir` makes it.
 */
function requireOwnRefs(refs: string): void {
  if (lstatSync(refs, { throwIfNoEntry: false })?.isSymbolicLink() === true && basename(realpathSync(refs)) !== 'refs')
    throw leadsOut(refs)
  const folders = [refs]
  let seen = 0
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      if (++seen > MOST_REFS) return
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isSymbolicLink() && isFolder(path)) throw leadsOut(path)
    }
  }
}

function leadsOut(path: string): AppError {
  return new AppError('failed', `${path} is a link that leads out of the refs`, { hint: 'remove it' })
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Git meets the same, and says so.
    return []
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Throws for a pipe or a device, on which git would wait. */
function isShareable(path: string, folder = false): boolean {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry === undefined) return false
  if (folder ? entry.isDirectory() : entry.isFile()) return true
  throw new AppError('failed', `${path} is not a ${folder ? 'folder' : 'regular file'}`, {
    hint: 'the repository was damaged; git fsck in it says more',
  })
}

/**
 * `git diff` writes the times of unchanged files into the index, even if told to take no locks. It follows five links to
 * find the file to replace, so behind more of them it replaces a link in this folder, and the index stays as it is.
 */
const LINKS_TO_INDEX = 7

export function shareIndex({ gitFolder }: Checkout, folder: string): void {
  if (!isShareable(join(gitFolder, 'index'))) return
  const names = ['index', ...Array.from({ length: LINKS_TO_INDEX }, (_, i) => `index.${i + 1}`)]
  names.forEach((name, i) => {
    symlinkSync(names[i + 1] ?? join(gitFolder, 'index'), join(folder, name))
  })
}

/** Copied: git takes a HEAD that is a link for a link to a branch. */
function headOf(gitFolder: string): string {
  const path = join(gitFolder, 'HEAD')
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return `ref: ${readlinkSync(path)}\n`
  const head = beginningOf(path, 4096)
  if (head === undefined) throw new AppError('failed', `${path} cannot be read`)
  return head
}
