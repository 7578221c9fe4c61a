/** The files of a folder: the newest change, by the file system's clock, and the size of all. */
export interface FilesSeen {
  readonly changedAt: number
  readonly bytes: number
}

/** Files as they were last seen, and when they last grew, of the monotonic clock. */
export interface Growth extends FilesSeen {
  readonly grewAt: number
}

/** A file grows if it differs from the last look: a time in the future, of another clock, is no growth at every look. */
export function withGrowth(
  before: Growth | undefined,
  { changedAt, bytes }: FilesSeen,
  { now, wall }: { readonly now: number; readonly wall: number },
): Growth {
  if (before?.changedAt === changedAt && before.bytes === bytes) return before
  return { changedAt, bytes, grewAt: now - Math.max(0, wall - changedAt) }
}
