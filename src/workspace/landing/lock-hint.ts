import { bounded } from '../../domain/text/bounded.ts'

/** The message of git. A lock that is in its way is named, with the next step. */
export function lockHint(text: string): string {
  const lock = /Unable to create '([^']+\.lock)'/.exec(text)?.[1]
  return lock === undefined ? bounded(text, 1000) : lockLeft(lock)
}

export function lockLeft(lock: string): string {
  return `${lock} exists; if no git is running there, remove it`
}
