import type { FoundChanges, FoundFile } from '../domain/evidence/found-changes.ts'
import type { Span } from '../domain/evidence/span.ts'
import { wayDown } from '../platform/files/same-folder.ts'
import { stampAbove, stampOf } from '../platform/files/walk.ts'

/** The changes found in a project, without those among the artifacts. */
export type Found = Omit<FoundChanges, 'artifacts'>

/** The moment of a change that the file's own time tells. The coarsest file systems count in seconds, or in two. */
export function at(ctime: bigint): Span {
  const ms = Number(ctime) / 1e6
  return { from: ms, to: ctime % SECOND === 0n ? ms + COARSE_MS : ms }
}

const SECOND = 1_000_000_000n
const COARSE_MS = 2000

/**
 * The time of a change at a path since `since`. A deletion happened before the last change of the folder that it left, or
 * was the last change.
 */
export function whenChanged(full: string, since: number): Span {
  const stamp = stampOf(full)
  if (stamp !== undefined) return at(stamp.ctime)
  const above = stampAbove(full)
  return { from: since, to: above === undefined ? Number.MAX_SAFE_INTEGER : Math.max(since, at(above.ctime).to) }
}

export function byPath(one: FoundFile, other: FoundFile): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0
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
