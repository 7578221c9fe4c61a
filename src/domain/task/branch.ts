import { isObject, SETTINGS_KEY } from './settings.ts'
import type { Metadata } from './task.ts'

/** As `git check-ref-format --branch`, but stricter: no name that a program could take for an option or another ref. */
export function isBranchName(text: string): boolean {
  return text.length <= 200 && NAME.test(text) && !FORBIDDEN.test(text) && text !== 'HEAD'
}

const NAME = /^[^\s~^:?*[\\\p{Cc}]+$/u
const FORBIDDEN = /^[-/.]|[/.]$|\.\.|\/\.|\/\/|@\{|\.lock(\/|$)|^@$|^refs\//

/** The branch that the task's repository had checked out when the task was created; undefined: none, or not known. */
export function recordedBranch(metadata: Metadata): string | undefined {
  const given = metadata[SETTINGS_KEY]
  const branch = isObject(given) ? given['branch'] : undefined
  return typeof branch === 'string' && isBranchName(branch) ? branch : undefined
}

export function withBranch(metadata: Metadata, branch: string | undefined): Metadata {
  const given = metadata[SETTINGS_KEY]
  if (branch === undefined || !isObject(given)) return metadata
  return { ...metadata, [SETTINGS_KEY]: { ...given, branch } }
}
