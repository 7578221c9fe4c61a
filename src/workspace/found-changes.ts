import { relative } from 'node:path'

/** The changes found in a project. */
export interface Found {
  readonly files: readonly string[]
  readonly commits: readonly string[]
  readonly unknown?: string
}

/**
 * Whether a path below the root belongs to fleet's home. A root inside the home is a directory that fleet gave the agent to
 * work in, and everything in it counts.
 */
export function homeIn(root: string, home: string): (path: string) => boolean {
  const inside = relative(root, home)
  if (inside === '' || inside.startsWith('..') || inside.startsWith('/')) return () => false
  return (path) => path === inside || path.startsWith(`${inside}/`)
}

/**
 * Whether a change may come from a run that began at `since`. A file system's clock lags by up to one tick of the kernel's
 * timer.
 */
export function notBefore(since: number, slackMs: number): (ctime: bigint) => boolean {
  const bound = BigInt(Math.trunc(since - slackMs)) * 1_000_000n
  return (ctime) => ctime >= bound
}

export const TICK_MS = 20
