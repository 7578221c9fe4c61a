import { join } from 'node:path'
import type { Repository } from '../task/repository.ts'
import { cloneName } from './clone-name.ts'

/** Where a task would run on this machine. */
export type Place =
  /** The task has no directory: it gets its own folder under the home. */
  | { readonly kind: 'own' }
  | { readonly kind: 'here'; readonly cwd: string }
  /** `root`: the clone, which is created or updated before the attempt. */
  | { readonly kind: 'clone'; readonly cwd: string; readonly root: string; readonly remote: string }
  | { readonly kind: 'nowhere'; readonly cwd: string }

export interface LocalPaths {
  /** Path prefixes of other machines, and the matching paths on this one. */
  readonly paths: Readonly<Record<string, string>>
  /** The directory for clones; undefined: this machine does not clone. */
  readonly clone: string | undefined
  exists(directory: string): boolean
}

/** Needed on a shared queue, because machines have different directories. */
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

/** The longest matching prefix wins; a path without a match stays as it is. */
export function mappedPath(path: string, paths: Readonly<Record<string, string>>): string {
  const [from] = Object.keys(paths)
    .map((each) => ({ each, bare: bare(each) }))
    .filter(({ bare: start }) => path === start || path.startsWith(start === '/' ? '/' : `${start}/`))
    .sort((a, b) => b.bare.length - a.bare.length)
  const to = from === undefined ? undefined : paths[from.each]
  if (from === undefined || to === undefined) return path
  return join(to, path.slice(from.bare.length)).replace(/(?<=.)\/$/, '')
}

/** Without trailing slashes. */
function bare(path: string): string {
  return path.replace(/(?<=.)\/+$/, '')
}
