/** What a supervisor that has ended may leave unfinished: time for the last words. */
const LEAVE_MS = 2000

/**
 * Ends this process soon after its scope, whatever still keeps it alive: a git that looks at a disk of the network may never
 * come back.
 */
export function leavingSoon(): Disposable {
  return { [Symbol.dispose]: () => void setTimeout(() => process.exit(), LEAVE_MS).unref() }
}
