import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { realPathOf } from '../files/same-folder.ts'

export interface RepositoryPlaces {
  /** The checkout. */
  readonly root: string
  /** Its folder for git, and the one that it shares with other worktrees. */
  readonly folders: readonly string[]
}

/** The checkout around a directory, without asking git: an agent may have written what git would run. */
export function repositoryAround(cwd: string): RepositoryPlaces | undefined {
  for (let at = realPathOf(cwd) ?? cwd; ; at = dirname(at)) {
    const folders = gitFolders(resolve(at, '.git'))
    if (folders !== undefined) return { root: at, folders }
    if (at === dirname(at)) return undefined
  }
}

function gitFolders(path: string): readonly string[] | undefined {
  const kind = statSync(path, { throwIfNoEntry: false })
  if (kind?.isDirectory() === true) return [path]
  if (kind?.isFile() !== true) return undefined
  const named = /^gitdir: (.+)$/m.exec(firstOf(path))?.[1]
  if (named === undefined) return undefined
  const own = resolve(dirname(path), named.trim())
  const shared = firstOf(resolve(own, 'commondir')).trim()
  return shared === '' ? [own] : [own, resolve(own, shared)]
}

/** '' where there is none. */
function firstOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, 4096)
  } catch {
    return ''
  }
}
