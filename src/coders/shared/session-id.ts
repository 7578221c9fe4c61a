/**
 * The id of a session, as a coder reports it. It becomes an argument of the next attempt, and may be part of a file name, so
 * an id that looks like a flag or a path is rejected.
 */
export function sessionId(told: unknown): string | undefined {
  return typeof told === 'string' && /^\w[\w-]{0,127}$/.test(told) ? told : undefined
}
