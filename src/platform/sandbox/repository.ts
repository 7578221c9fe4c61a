import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { RepositoryPlaces } from '../../domain/sandbox/rules.ts'
import { realPathOf } from '../files/same-folder.ts'

export interface Checkout extends RepositoryPlaces {
  readonly root: string
}

/** More submodules than these are not looked for. */
const MOST_MODULES = 200

/** The checkout around a directory, without asking git: an agent may have written what git would run. */
export function repositoryAround(cwd: string): Checkout | undefined {
  for (let at = realPathOf(cwd) ?? cwd; ; at = dirname(at)) {
    const entry = resolve(at, '.git')
    const folders = gitFolders(entry)
    if (folders !== undefined) return { root: at, entry, folders, ...modulesOf(folders) }
    if (at === dirname(at)) return undefined
  }
}

/**
 * undefined: there is no repository here. None: there is one whose folders are not known to belong to this checkout, so
 * nothing is written there. A link, or a file that names any folder, could have been left by an agent.
 */
function gitFolders(path: string): readonly string[] | undefined {
  const kind = lstatSync(path, { throwIfNoEntry: false })
  if (kind === undefined) return undefined
  if (kind.isDirectory()) return [path]
  const named = kind.isFile() ? /^gitdir: (.+)$/m.exec(firstOf(path))?.[1] : undefined
  const own = named === undefined ? undefined : realPathOf(resolve(dirname(path), named.trim()))
  if (own === undefined) return []
  return linkedFolders(own, path) ?? moduleFolders(own, path) ?? []
}

/** Of a linked worktree: its folder names this entry, and is in that of its repository. */
function linkedFolders(own: string, entry: string): readonly string[] | undefined {
  const shared = dirname(dirname(own))
  const leadsBack = realPathOf(resolve(own, firstOf(resolve(own, 'gitdir')).trim())) === entry
  const isInside = realPathOf(resolve(own, firstOf(resolve(own, 'commondir')).trim())) === shared
  return leadsBack && isInside && basename(dirname(own)) === 'worktrees' ? [own, shared] : undefined
}

/** Of a submodule: it is among those of the repository around. */
function moduleFolders(own: string, entry: string): readonly string[] | undefined {
  const around = repositoryAround(dirname(dirname(entry)))
  return around?.folders.some((folder) => own.startsWith(`${resolve(folder, 'modules')}/`)) ? [own] : undefined
}

/** The folders for git of all submodules, and of theirs. Links are not followed. */
function modulesOf(folders: readonly string[]): Pick<Checkout, 'modules' | 'closed'> {
  const modules: string[] = []
  const closed: string[] = []
  for (const folder of new Set(folders)) {
    const found = modulesBelow(resolve(folder, 'modules'))
    if (found === undefined) closed.push(resolve(folder, 'modules'))
    else modules.push(...found)
  }
  return { modules, closed }
}

/** undefined: there are too many. */
function modulesBelow(top: string): readonly string[] | undefined {
  const found: string[] = []
  const open = [top]
  for (let looked = 0; open.length > 0; looked++) {
    if (looked > MOST_MODULES * 4 || found.length > MOST_MODULES) return undefined
    const folder = open.pop() ?? ''
    // The name of a submodule may have slashes, so a folder is one, or leads to some.
    const isModule = folder !== top && MARKS.some((name) => statSync(resolve(folder, name), { throwIfNoEntry: false }))
    if (isModule) found.push(folder)
    const names = foldersIn(folder).filter((name) => !isModule || !GITS_OWN.has(name))
    open.push(...names.map((name) => resolve(folder, name)))
  }
  return found
}

const MARKS = ['HEAD', 'config', 'objects']
const GITS_OWN = new Set(['objects', 'refs', 'logs', 'hooks', 'info', 'lfs'])

function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return []
  }
}

/** '' where there is none. */
function firstOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, 4096)
  } catch {
    return ''
  }
}
