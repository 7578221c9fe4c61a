import { closeSync, constants, openSync, utimesSync } from 'node:fs'

/**
 * Every process touches this file after a commit, and the supervisor watches it.
 * It is only a hint: if the touch fails, the next poll sees the commit.
 */
export function touchWake(path: string): void {
  const now = Date.now() / 1000
  try {
    utimesSync(path, now, now)
  } catch {
    try {
      // Not blocking: somebody may have put a pipe there.
      closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK, 0o600))
    } catch {
      // The home is read-only or full.
    }
  }
}
