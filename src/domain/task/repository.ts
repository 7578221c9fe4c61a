import { isAbsolute, normalize } from 'node:path'
import { isObject, SETTINGS_KEY } from './settings.ts'
import type { Metadata } from './task.ts'

/**
 * The git repository of a task's directory, from which another machine can clone it. fleet records it beside the settings
 * when the task is created on a shared queue, and removes it when the task gets another directory.
 */
export interface Repository {
  /** Without credentials. */
  readonly remote: string
  /** The directory below the root of the checkout; '' for the root itself. */
  readonly folder: string
}

/** Anyone can write metadata, and these values go to git, so invalid ones are dropped. */
export function repositoryOf(metadata: Metadata): Repository | undefined {
  const given = metadata[SETTINGS_KEY]
  if (!isObject(given)) return undefined
  const { remote, folder = '' } = given
  if (typeof remote !== 'string' || publicRemote(remote) !== remote) return undefined
  return typeof folder === 'string' && staysInside(folder) ? { remote, folder } : undefined
}

export function withRepository(metadata: Metadata, repository: Repository | undefined): Metadata {
  const given = metadata[SETTINGS_KEY]
  const { remote: _remote, folder: _folder, ...rest } = isObject(given) ? given : {}
  if (repository === undefined) return isObject(given) ? { ...metadata, [SETTINGS_KEY]: rest } : metadata
  const { remote, folder } = repository
  return { ...metadata, [SETTINGS_KEY]: { ...rest, remote, ...(folder === '' ? {} : { folder }) } }
}

function staysInside(folder: string): boolean {
  const path = normalize(folder)
  return !isAbsolute(folder) && path !== '..' && !path.startsWith('../') && !CONTROL.test(folder)
}

const CONTROL = /\p{Cc}/u
const URL_FORM = /^(https?|ssh|git|file):\/\/(?:([^/@]*)@)?([^/?#]*)(\/[^?#]*)/i
/** `git@host:path` for ssh. No slash before the colon, and no second colon: git would run a helper program for `a::b`. */
const SCP_FORM = /^(?:[\w.-]+@)?[\w][\w.-]*:(?!:|\/\/)[^:]+$/

/**
 * A remote address that is safe to share: without passwords and tokens, and nothing that git would read as an option or a
 * program to run. undefined if the address is useless on another machine.
 */
export function publicRemote(text: string): string | undefined {
  if (CONTROL.test(text) || text.length > 2000) return undefined
  if (isAbsolute(text)) return text
  const [, scheme = '', user, host = '', path = ''] = URL_FORM.exec(text) ?? []
  if (scheme === '') return SCP_FORM.test(text) ? text : undefined
  if (host.startsWith('-') || (host === '' && scheme.toLowerCase() !== 'file')) return undefined
  // ssh needs the user name; in a web URL the user name is often a token.
  const name = scheme.toLowerCase() === 'ssh' ? user?.split(':')[0] : undefined
  return `${scheme}://${name === undefined || name === '' || name.startsWith('-') ? '' : `${name}@`}${host}${path}`
}
