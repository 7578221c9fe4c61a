import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { beginningOf } from '../files/beginning-of.ts'

/** A checkout of git, with absolute paths. */
export interface Checkout {
  /** Its top folder. */
  readonly root: string
  /** The folder with its HEAD and index. */
  readonly gitFolder: string
  /** The folder with objects, branches and configuration: the same, but for a linked worktree. */
  readonly commonFolder: string
}

/**
 * The checkout that a directory lies in, found by the entry `.git` alone; undefined: none. The configuration of a repository
 * does not count (`core.worktree`, `core.bare`): an agent could point fleet at another directory with it.
 */
export function checkoutAt(directory: string): Checkout | undefined {
  let at: string
  try {
    at = realpathSync.native(directory)
  } catch {
    return undefined
  }
  for (let root = at; ; root = dirname(root)) {
    if (existsAt(join(root, '.git'))) return at.startsWith(join(root, '.git') + sep) ? undefined : checkoutIn(root)
    if (dirname(root) === root) return undefined
  }
}

/** The checkout whose top folder this is. */
export function checkoutIn(root: string): Checkout | undefined {
  const gitFolder = gitFolderOf(root)
  if (gitFolder === undefined) return undefined
  const common = beginningOf(join(gitFolder, 'commondir'), PATH_BYTES)?.replace(/\n+$/, '')
  const commonFolder = common === undefined || common === '' ? gitFolder : resolve(gitFolder, common)
  return isFolder(join(commonFolder, 'objects')) ? { root, gitFolder, commonFolder } : undefined
}

const PATH_BYTES = 8192

/** The branch that it has checked out; undefined: none, or not plain to see. No git is run. */
export function branchOf({ gitFolder }: Checkout): string | undefined {
  return /^ref: refs\/heads\/(.+)/.exec(beginningOf(join(gitFolder, 'HEAD'), PATH_BYTES) ?? '')?.[1]
}

function gitFolderOf(root: string): string | undefined {
  const path = join(root, '.git')
  if (isFolder(path)) return path
  // A worktree or a submodule: a file that names the folder.
  const named = /^gitdir: (.+)/.exec(beginningOf(path, PATH_BYTES) ?? '')?.[1]
  if (named === undefined) return undefined
  const folder = isAbsolute(named) ? named : resolve(root, named)
  return isFolder(folder) ? folder : undefined
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function existsAt(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
