/**
 * The name of a session, as a coder told it. It will be a word on the command line of the next attempt, and may be part of
 * a file's name, so it is believed only where nobody could take it for a flag or a path.
 */
export function sessionId(told: unknown): string | undefined {
  return typeof told === 'string' && /^\w[\w-]{0,127}$/.test(told) ? told : undefined
}
