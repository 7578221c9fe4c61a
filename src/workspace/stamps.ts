import { join } from 'node:path'
import { contentAt, isStillButForMode } from '../platform/files/content-stamp.ts'
import { pacer } from '../platform/files/walk.ts'
import type { Stamps } from '../ports/workspace.ts'

/** The most stamps in a launch record; for other paths the time of a change decides. */
export const STAMPS_LIMIT = 2000

/** Larger than any file a person writes; reading a database twice per run would not pay. */
const LARGEST = 1 << 20
/** For all files of a record: a tenth of a second of processor time. Bytes, because what counts as a change must not depend on the load. */
const ALL_BYTES = 32 << 20
/** The last resort, for disks that take seconds for that: a run cannot begin before. Counts only the reading. */
const READING_MS = 5000

/**
 * Adds stamps of the contents to the times, so that a file that is only touched, or written again as it was, is no change.
 * For files that are too large or too many, the times alone decide.
 */
export async function withContents(root: string, times: Stamps): Promise<Stamps> {
  const pause = pacer()
  const whole: Record<string, string> = Object.create(null)
  let bytesLeft = ALL_BYTES
  let msLeft = READING_MS
  for (const [path, time] of Object.entries(times)) {
    await pause()
    const begun = performance.now()
    const content = msLeft > 0 ? contentAt(join(root, path), Math.min(LARGEST, bytesLeft)) : undefined
    msLeft -= performance.now() - begun
    bytesLeft -= content?.size ?? 0
    whole[path] = content === undefined ? time : `${time} ${content.stamp}`
  }
  return whole
}

/** Whether nothing but the mode of the file at a path differs from its stamp. */
export function isOtherModeAlone(stamp: string | undefined, path: string): boolean {
  const content = stamp?.split(' ')[1]
  return content !== undefined && isStillButForMode(content, path)
}
