import { wayDown } from '../platform/files/same-folder.ts'

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
  const inside = wayDown(root, home) ?? ''
  if (inside === '') return () => false
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

/** The Finder writes these whenever a person looks at a folder. They are no work of the agent. */
export function isFinderFile(path: string): boolean {
  return path === '.DS_Store' || path.endsWith('/.DS_Store')
}
