/**
 * Which hooks, filters and settings of a repository fleet runs when it lands: those that stood there before agents worked in
 * it. Agents can write to all of them.
 */
export interface TrustedPrograms {
  readonly fingerprint: string
  /** The task whose run ended with other ones. A person decides. null: they are as they were. */
  readonly changedBy: string | null
}

/** Before a run begins. Without an agent in the repository, a change of it is a person's. */
export function beforeRun(
  trusted: TrustedPrograms | undefined,
  now: string,
  { othersRun }: { readonly othersRun: boolean },
): TrustedPrograms {
  if (trusted === undefined || (trusted.changedBy === null && !othersRun)) return { fingerprint: now, changedBy: null }
  return trusted
}

/** When no process of the run is left. */
export function afterRun(trusted: TrustedPrograms, now: string, task: string): TrustedPrograms {
  if (trusted.changedBy !== null || now === trusted.fingerprint) return trusted
  return { ...trusted, changedBy: task }
}
