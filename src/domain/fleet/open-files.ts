/**
 * How many agents a limit of open files leaves room for. Measured: a supervisor without agents has about thirty files open,
 * and reads the output of each agent through one descriptor, and through one more where the coder writes a sidecar. Each
 * program that it runs itself takes a few for a moment, and it runs a bounded number of them at once.
 */
const PER_AGENT = 2
/** The most programs that fleet runs at once for itself, such as git. */
export const PROGRAMS_AT_ONCE = 16
/** For itself, its stores, a server's connections, and the pipes of those programs. */
const FOR_FLEET = 40 + PROGRAMS_AT_ONCE * 4

/** Infinity: the limit is not known, or there is none. */
export function agentsWithin(limit: number | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY
  return Math.max(0, Math.floor((limit - FOR_FLEET) / PER_AGENT))
}

/** The limit that so many agents need. */
export function openFilesFor(agents: number): number {
  return FOR_FLEET + agents * PER_AGENT
}
