/**
 * Which hooks, filters and settings of a repository fleet runs when it lands: those that stood there before agents worked in
 * it. Agents can write to all of them.
 */
export interface TrustedPrograms extends Programs {
  /** The task whose run ended with other ones. A person decides. null: they are as they were. */
  readonly changedBy: string | null
  /** The other ones, as people are told of them; null: there are none. */
  readonly found: Programs | null
}

/** The programs of a repository at one time. */
export interface Programs {
  readonly fingerprint: string
  /** A hash of each hook and each setting, by its name; null: an older fleet did not note them. */
  readonly parts: Readonly<Record<string, string>> | null
}

/** Before a run begins. Without an agent in the repository, a change of it is a person's. */
export function beforeRun(
  trusted: TrustedPrograms | undefined,
  now: Programs,
  { othersRun }: { readonly othersRun: boolean },
): TrustedPrograms {
  if (trusted === undefined || (trusted.changedBy === null && !othersRun)) return trusting(now)
  return trusted
}

export function trusting(now: Programs): TrustedPrograms {
  return { ...now, changedBy: null, found: null }
}

/** A person trusts what was told, or what stood there before; what has come since is told first. */
export function afterLook(trusted: TrustedPrograms | undefined, now: Programs): TrustedPrograms {
  const known = trusted?.found ? [trusted.found.fingerprint, trusted.fingerprint] : undefined
  if (trusted === undefined || known === undefined || known.includes(now.fingerprint)) return trusting(now)
  return { ...trusted, found: now }
}

/** When no process of the run is left. Those that are as they were again may run again: nothing else is ever run. */
export function afterRun(trusted: TrustedPrograms, now: Programs, task: string): TrustedPrograms {
  if (now.fingerprint === trusted.fingerprint) {
    return trusted.changedBy === null ? trusted : { ...trusted, changedBy: null, found: null }
  }
  if (now.fingerprint === trusted.found?.fingerprint) return trusted
  return { ...trusted, changedBy: trusted.changedBy ?? task, found: now }
}

export interface ChangedProgram {
  readonly name: string
  readonly how: 'new' | 'different' | 'gone'
}

type Parts = NonNullable<Programs['parts']>

export function changedPrograms(before: Parts, now: Parts): readonly ChangedProgram[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort()
  return names.flatMap((name) => {
    if (before[name] === now[name]) return []
    return { name, how: before[name] === undefined ? 'new' : now[name] === undefined ? 'gone' : 'different' }
  })
}

const MOST_NAMED = 8

/** Which of them are new, different or gone; '': that is not known. */
export function differenceText({ parts: before }: Programs, { parts: now }: Programs): string {
  if (before === null || now === null) return ''
  const told = changedPrograms(before, now).map(({ name, how }) => `${name} (${how})`)
  const more = told.length - MOST_NAMED
  return [...told.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
