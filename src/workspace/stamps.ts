import { join } from 'node:path'
import { contentAt, isStill } from '../platform/files/content-stamp.ts'
import { pacer } from '../platform/files/walk.ts'
import type { Stamps } from '../ports/workspace.ts'

/** Stamps kept in a launch record; beyond them the time of a change decides. */
export const STAMPS_LIMIT = 2000

/** More than what a person writes; reading a database twice per run would help nobody. */
const LARGEST = 1 << 20
/** Of all files of a record: a tenth of a second of a processor. What counts as a change must not hang on the load. */
const ALL_BYTES = 32 << 20
/** The last resort, for disks that take seconds over that: a run waits for it before it begins. Reading alone counts. */
const READING_MS = 5000

/**
 * Times with what stood at their paths, so that what is only touched, or written again as it was, is no change. Of what
 * is too large or too much, the times alone decide.
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

/** Whether what is at a path, last changed at `time`, is another than its stamp says. */
export function isOther(stamp: string, time: string, path: string): boolean {
  const [before, content] = stamp.split(' ')
  return time !== before && (content === undefined || !isStill(content, path))
}
