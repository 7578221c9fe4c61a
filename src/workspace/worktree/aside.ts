import { basename, dirname, join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { explainFile } from '../../platform/files/files.ts'
import { isRealFolder, move, namesIn } from '../../platform/files/folder.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { checkoutOf } from './place.ts'

const ASIDE = '.removing-'

/** Moves a worktree and its folder in the repository out of their places, where its task may get another one at once. */
export function setAside(worktree: Worktree): void {
  const repository = checkoutIn(worktree.repository)
  const folders = [worktree.path, ...(repository === undefined ? [] : [checkoutOf(worktree, repository).gitFolder])]
  const mark = `${ASIDE}${crypto.randomUUID().slice(0, 8)}`
  try {
    for (const folder of folders) if (isRealFolder(folder)) move(folder, `${folder}${mark}`)
  } catch (error) {
    throw explainFile(error, worktree.path)
  }
}

export function isAside(name: string): boolean {
  return /\.removing-[0-9a-f]{8}$/.test(name)
}

/** Where a folder was moved to, also by a removal that was killed. */
export function asideOf(folder: string): readonly string[] {
  const names = namesIn(dirname(folder)).filter((name) => name.startsWith(`${basename(folder)}${ASIDE}`))
  return names.map((name) => join(dirname(folder), name))
}
