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

/** When the files of each kind of part were changed. */
export type ChangeTimes = Readonly<Record<'settings' | 'hooks' | 'attributes', readonly number[]>>

export interface FoundPrograms extends Programs {
  readonly changedAt: ChangeTimes
}

export interface BeforeRun {
  /** The task of the run. */
  readonly task: string
  /** Whether an agent, of whichever project, can have changed a file at that time. */
  agentsRanAt(time: number): boolean
}

/**
 * Before a run begins. A change that was made while no agent ran is a person's. Any other one may be that of an agent which
 * has no task here, also if fleet has not seen the repository before.
 */
export function beforeRun(
  trusted: TrustedPrograms | undefined,
  { changedAt, ...now }: FoundPrograms,
  { task, agentsRanAt }: BeforeRun,
): TrustedPrograms {
  if (trusted !== undefined && trusted.changedBy !== null) return trusted
  if (trusted?.fingerprint === now.fingerprint) return trusted.parts === null ? trusting(now) : trusted
  const kinds = trusted === undefined ? kindsThatRun(now) : kindsThatDiffer(trusted, now)
  if (!kinds.some((kind) => changedAt[kind].some(agentsRanAt))) return trusting(now)
  return afterRun(trusted ?? NOTHING, now, task)
}

/** No repository has that fingerprint. */
const NOTHING: TrustedPrograms = { fingerprint: '', parts: {}, changedBy: null, found: null }

type Kind = keyof ChangeTimes

function kindOf(part: string): Kind {
  return part.startsWith('setting ') ? 'settings' : part === 'info/attributes' ? 'attributes' : 'hooks'
}

function kindsThatDiffer({ parts: before }: Programs, { parts: now }: Programs): readonly Kind[] {
  if (before === null || now === null) return ['settings', 'hooks', 'attributes']
  const names = Object.keys({ ...before, ...now }).filter((name) => before[name] !== now[name])
  return [...new Set(names.map(kindOf))]
}

/** What a new repository has does not count: git writes it itself, and it starts nothing. */
function kindsThatRun({ parts }: Programs): readonly Kind[] {
  return [
    ...new Set(
      Object.keys(parts ?? {})
        .filter((name) => !OF_A_NEW_REPOSITORY.test(name))
        .map(kindOf),
    ),
  ]
}

const OF_A_NEW_REPOSITORY =
  /^setting (core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf)|remote\..*\.(url|pushurl|fetch|tagopt|prune|mirror)|extensions\.\w+|init\.defaultbranch|pull\.\w+|push\.\w+)$/s

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
export function afterRun(trusted: TrustedPrograms, { fingerprint, parts }: Programs, task: string): TrustedPrograms {
  if (fingerprint === trusted.fingerprint) {
    return trusted.changedBy === null ? trusted : { ...trusted, changedBy: null, found: null }
  }
  if (fingerprint === trusted.found?.fingerprint) return trusted
  return { ...trusted, changedBy: trusted.changedBy ?? task, found: { fingerprint, parts } }
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
