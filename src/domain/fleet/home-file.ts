/**
 * The files of a home that fleet takes in: its configuration and the user's coders. Agents run as the user and can write them
 * too. So fleet keeps each file as a person left it, and takes in a change only if no agent can have made it, or after a
 * person has said so.
 */

/**
 * A file as it was found. `null`: there is none. `problem`: it is no text file that fleet would read. `error`, where there is
 * one, tells a person the next step.
 */
export type FoundFile = { readonly text: string | null } | { readonly problem: string; readonly error?: Error }

export interface FileFacts {
  /** As a person left it last; undefined: fleet has not seen it before. */
  readonly accepted: string | null | undefined
  readonly found: FoundFile
  /** An agent has run since the file was last seen to be as accepted. */
  readonly exposed: boolean
  /** An earlier change of it waits for a person. */
  readonly pending: boolean
}

/** `same`: it is as accepted. `new`: a person's edit, in force from now on. `held`: a person has to decide. */
export type Standing = 'same' | 'new' | 'held'

export function standingOf({ accepted, found, exposed, pending }: FileFacts): Standing {
  const isSame = 'text' in found && found.text === accepted
  if (isSame) return 'same'
  // Fleet also looks for files that never were: what was not there before and is not there now is no change.
  const isAbsent = accepted === undefined && 'text' in found && found.text === null
  if (isAbsent && (exposed || pending)) return 'same'
  // An edit on top of a held change would carry the change along.
  if (pending) return 'held'
  // Before fleet kept any file, there is nothing to go back to. A file that is new to fleet is one that was added.
  if (!exposed) return 'new'
  return 'held'
}

/** The time in which agents could write to the home; `until` is null while they can. */
export interface Exposure {
  readonly since: number
  readonly until: number | null
}

/** File systems stamp a change with the time of the last tick, up to 10 ms before it was made. */
const TICK_MS = 20

/** Whether a file that was changed at this time can have been changed by an agent. */
export function madeWhileAgentsRan(changedAt: number, exposures: readonly Exposure[]): boolean {
  return exposures.some(({ since, until }) => {
    return changedAt >= since - TICK_MS && (until === null || changedAt <= until)
  })
}

/** A change that waits for a person, or that one has decided. `path` is relative to the home. */
export interface ChangedFile {
  readonly path: string
  readonly noticedAt: number
  /** The runs that were open. */
  readonly runs: readonly string[]
}

const OF_TASK = /^tasks\/([^/]+)\/(?:artifacts\/)?(task\.json|Q&A\.md)$/

/** The task whose task.json or Q&A.md it is; undefined: it is a file of the whole home. */
export function taskOfFile(path: string): string | undefined {
  return OF_TASK.exec(path)?.[1]
}

export function changedText({ path }: Pick<ChangedFile, 'path'>): string {
  return `${OF_TASK.exec(path)?.[2] ?? path} was changed while agents ran`
}

/** The commands of a person who decides. */
export function decisionText({ path }: Pick<ChangedFile, 'path'>): string {
  const task = taskOfFile(path)
  return task === undefined ? 'fleet config accept | revert' : `fleet task ${task} accept | revert`
}

/** For the receipts of the runs that were open. */
export function changedWarning(change: Pick<ChangedFile, 'path'>): string {
  if (change.path.startsWith('bin/')) return `${changedText(change)}, this one among them, and fleet has put it right`
  return `${changedText(change)}, this one among them, and is not in force until a person decides: ${decisionText(change)}`
}
