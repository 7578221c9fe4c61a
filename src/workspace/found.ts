import { relative } from 'node:path'

/** The changes found in a project. */
export interface Found {
  readonly files: readonly string[]
  readonly commits: readonly string[]
  readonly unknown?: string
}

/**
 * Whether a path below the root belongs to fleet's home, whose changes are not evidence. If the root itself is inside the
 * home, fleet gave it to the agent as its working directory, and everything in it counts.
 */
export function homeIn(root: string, home: string): (path: string) => boolean {
  const inside = relative(root, home)
  if (inside === '' || inside.startsWith('..') || inside.startsWith('/')) return () => false
  return (path) => path === inside || path.startsWith(`${inside}/`)
}

/**
 * Whether a change may belong to a run that began at `since`. A file system's timestamps lag behind by up to one tick of
 * the kernel's timer, or more where they are coarser (`slackMs`).
 */
export function notBefore(since: number, slackMs: number): (ctime: bigint) => boolean {
  const bound = BigInt(Math.trunc(since - slackMs)) * 1_000_000n
  return (ctime) => ctime >= bound
}

export const TICK_MS = 20
