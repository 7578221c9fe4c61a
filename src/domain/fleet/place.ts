import { join } from 'node:path'
import type { Repository } from '../task/repository.ts'
import { cloneName } from './clone-name.ts'

/** Where a task would run on this machine. */
export type Place =
  /** No directory was recorded: a folder of its own under the home. */
  | { readonly kind: 'own' }
  | { readonly kind: 'here'; readonly cwd: string }
  /** `root`: of the clone, which is made, or brought up to date, before the attempt. */
  | { readonly kind: 'clone'; readonly cwd: string; readonly root: string; readonly remote: string }
  | { readonly kind: 'nowhere'; readonly cwd: string }

export interface LocalPaths {
  /** Beginnings of paths as others record them, and what they are here. */
  readonly paths: Readonly<Record<string, string>>
  /** Where repositories may be cloned to; undefined: nowhere. */
  readonly clone: string | undefined
  exists(directory: string): boolean
}

/** On a queue that many machines share, where each may have other directories. */
export function placeFor(
  { cwd, repository }: { cwd: string | undefined; repository: Repository | undefined },
  { paths, clone, exists }: LocalPaths,
): Place {
  if (cwd === undefined) return { kind: 'own' }
  const mapped = mappedPath(cwd, paths)
  if (exists(mapped)) return { kind: 'here', cwd: mapped }
  if (clone === undefined || repository === undefined) return { kind: 'nowhere', cwd: mapped }
  const root = join(clone, cloneName(repository.remote))
  return { kind: 'clone', cwd: join(root, repository.folder), root, remote: repository.remote }
}

/** The longest beginning decides; a path that has none of them is the same here. */
export function mappedPath(path: string, paths: Readonly<Record<string, string>>): string {
  const [from] = Object.keys(paths)
    .map((each) => ({ each, bare: bare(each) }))
    .filter(({ bare: start }) => path === start || path.startsWith(start === '/' ? '/' : `${start}/`))
    .sort((a, b) => b.bare.length - a.bare.length)
  const to = from === undefined ? undefined : paths[from.each]
  if (from === undefined || to === undefined) return path
  return join(to, path.slice(from.bare.length)).replace(/(?<=.)\/$/, '')
}

/** Without slashes at its end. */
function bare(path: string): string {
  return path.replace(/(?<=.)\/+$/, '')
}
