import type { FoundCommit, FoundFile, FoundRef } from './found-changes.ts'
import type { Span } from './span.ts'

/** Everything that is known of the work of one run. */
export interface Work {
  /** From its beginning to its end. */
  readonly life: Span
  /** The paths that its tools name as written, spelled as those of changes are. */
  readonly named: ReadonlySet<string>
  /** When tools that can change something were open; undefined: its coder shows no tools. */
  readonly open: readonly Span[] | undefined
  /** When it may have changed something without an open tool: processes that its tools had left behind were alive. */
  readonly left: readonly Span[]
  /** Where it can change something without naming it. */
  readonly reach: Reach
}

/** As seen from the run that is judged. */
export interface Reach {
  /** It works in the same directory or checkout, or in one around or inside it. */
  readonly tree: boolean
  /** It works in a checkout of the same repository, so it shares its commits, branches and tags. */
  readonly repository: boolean
  /** Folders and files outside of that tree; '/': anywhere. */
  readonly elsewhere: readonly string[]
}

/** Of the run that is judged itself. */
export const EVERYWHERE: Reach = { tree: true, repository: true, elsewhere: ['/'] }

/** Where a change lies: that says which runs could have made it. */
export type Place = { readonly in: 'tree' | 'repository' } | { readonly in: 'elsewhere'; readonly path: string }

export function placeOfFile({ path }: FoundFile): Place {
  return path.startsWith('/') ? { in: 'elsewhere', path } : { in: 'tree' }
}

/** For a run in another checkout, one that was made here was made anywhere in the repository. */
export function placeOf({ origin }: FoundCommit | FoundRef, { reach }: Work): Place {
  return { in: origin === 'here' && reach.tree ? 'tree' : 'repository' }
}

export function reaches({ reach }: Work, place: Place): boolean {
  if (place.in !== 'elsewhere') return reach[place.in]
  return reach.elsewhere.some((folder) => folder === '/' || isAtOrBelow(place.path, folder))
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
