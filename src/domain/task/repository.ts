import { isAbsolute, normalize } from 'node:path'
import { isObject, SETTINGS_KEY } from './settings.ts'
import type { Metadata } from './task.ts'

/**
 * Where the directory of a task can be had on a machine that does not have it: recorded by fleet beside the settings
 * when the task is made on a shared queue, and forgotten when the task is given another directory.
 */
export interface Repository {
  /** Without credentials. */
  readonly remote: string
  /** Of the directory below the root of the checkout; empty: the root itself. */
  readonly folder: string
}

/** Anyone can write metadata, and this goes to git: what does not fit is left out instead of trusted. */
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
  const way = normalize(folder)
  return !isAbsolute(folder) && way !== '..' && !way.startsWith('../') && !CONTROL.test(folder)
}

const CONTROL = /\p{Cc}/u
const URL_FORM = /^(https?|ssh|git|file):\/\/(?:([^/@]*)@)?([^/?#]*)(\/[^?#]*)/i
/** `git@host:path`, as ssh takes it: no slash before the colon, and no second colon, which would name a helper program. */
const SCP_FORM = /^(?:[\w.-]+@)?[\w][\w.-]*:(?!:|\/\/)[^:]+$/

/**
 * The address of a repository as others may see and use it: no password, no token, nothing that git would take for an
 * option or for a program to run. undefined: it means nothing on another machine.
 */
export function publicRemote(text: string): string | undefined {
  if (CONTROL.test(text) || text.length > 2000) return undefined
  if (isAbsolute(text)) return text
  const [, scheme = '', user, host = '', path = ''] = URL_FORM.exec(text) ?? []
  if (scheme === '') return SCP_FORM.test(text) ? text : undefined
  if (host.startsWith('-') || (host === '' && scheme.toLowerCase() !== 'file')) return undefined
  // Who logs in by ssh does so by name; on the web a name is often a token.
  const name = scheme.toLowerCase() === 'ssh' ? user?.split(':')[0] : undefined
  return `${scheme}://${name === undefined || name === '' || name.startsWith('-') ? '' : `${name}@`}${host}${path}`
}
