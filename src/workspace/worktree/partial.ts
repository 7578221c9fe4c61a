import { basename, dirname, join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { namesIn } from '../../platform/files/folder.ts'

/** Beside the place of a worktree: its files while they are checked out. */
const PARTIAL = '.making-'

export function isPartial(name: string): boolean {
  return name.startsWith(PARTIAL)
}

export function newPartial({ path }: Pick<Worktree, 'path'>): string {
  return join(dirname(path), `${PARTIAL}${basename(path)}-${crypto.randomUUID().slice(0, 8)}`)
}

const BRINGING = '.bringing-'

/** Beside the place of a worktree: a file that is copied there. One that a killed copy left is replaced by the next. */
export function bringingTo(path: string): string {
  return join(dirname(path), `${BRINGING}${basename(path)}`)
}

export function isBringing(name: string): boolean {
  return name.startsWith(BRINGING)
}

/** Those of a checkout that is under way, or was killed. */
export function partialsOf({ path }: Pick<Worktree, 'path'>): readonly string[] {
  const begin = `${PARTIAL}${basename(path)}-`
  const isOwn = (name: string): boolean => name.startsWith(begin) && /^[0-9a-f]+$/.test(name.slice(begin.length))
  return namesIn(dirname(path))
    .filter(isOwn)
    .map((name) => join(dirname(path), name))
}
