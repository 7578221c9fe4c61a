import { join } from 'node:path'
import { contentAt, isStill } from '../platform/files/content-stamp.ts'
import { pacer } from '../platform/files/walk.ts'
import type { Stamps } from '../ports/workspace.ts'

/** The most stamps in a launch record. For other files, the time of the change decides. */
export const STAMPS_LIMIT = 2000

/** Larger files are not read: people do not write them, and reading a database twice per run is a waste. */
const LARGEST = 1 << 20
/** For all files of a record; takes a tenth of a second of CPU time. A size, so that load does not decide what counts as a change. */
const ALL_BYTES = 32 << 20
/** A last resort for very slow disks, because the run waits for this before it starts. Counts only the time spent reading. */
const READING_MS = 5000

/**
 * Adds the content's hash to each timestamp, so that touching a file or rewriting the same content is not a change. Beyond
 * the limits above, the timestamp alone decides.
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

/** Whether the file, last changed at `time`, differs from its stamp. */
export function isOther(stamp: string, time: string, path: string): boolean {
  const [before, content] = stamp.split(' ')
  return time !== before && (content === undefined || !isStill(content, path))
}
