/** How the commits of a task reach its target branch. */
export const LAND_AS = ['commits', 'squash', 'merge'] as const
export type LandAs = (typeof LAND_AS)[number]

/** The work of a task beside the branch that it is for. */
export interface LandingFacts {
  /** The commit at the tip of the target. */
  readonly tip: string
  /** The target has commits that the work does not contain. */
  readonly isBehind: boolean
  /** How many commits since its base the target does not contain, and whether one of them is a merge. */
  readonly own: number
  readonly merges: boolean
  /** The work still stands on a base that is not on the target any more: a person took it off, or replaced the target. */
  readonly isOnLostBase: boolean
}

export type Plan =
  /** The target contains all of it already. */
  | { readonly how: 'nothing' }
  /** It stands on the tip of the target: the target moves to its last commit. */
  | { readonly how: 'as-it-is' }
  /** `since`: the commits after it are put on the tip of the target, one by one. */
  | { readonly how: 'rebase'; readonly since: 'base' | 'target'; readonly squash: boolean }
  | { readonly how: 'squash' }
  | { readonly how: 'merge' }

/**
 * Commits that a person took off the target never come back with a task that began on them: then only its own commits are
 * put on the target. A merge that an agent made holds its resolution of a conflict, which a rebase would lose.
 */
export function planFor(as: LandAs, { own, isBehind, merges, isOnLostBase }: LandingFacts): Plan {
  if (own === 0) return { how: 'nothing' }
  if (isOnLostBase) return { how: 'rebase', since: 'base', squash: as === 'squash' }
  if (as !== 'commits') return { how: as }
  if (!isBehind) return { how: 'as-it-is' }
  return merges ? { how: 'merge' } : { how: 'rebase', since: 'target', squash: false }
}
