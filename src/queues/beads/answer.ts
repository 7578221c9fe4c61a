import { isObject } from '../../domain/task/settings.ts'

/** The payload of bd's --json output, without the envelope that some versions add; undefined if it is not JSON. */
export function payloadOf(text: string): unknown {
  const value = parsed(text)
  if (!isObject(value)) return value
  if ('data' in value && 'schema_version' in value) return value['data']
  if (Array.isArray(value['items'])) return value['items']
  return value
}

/** The objects of an answer, whether bd printed one or many. */
export function objectsOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  const payload = payloadOf(text)
  return (Array.isArray(payload) ? payload : [payload]).filter(isObject)
}

/** Why a command failed, in bd's words: JSON on stdout, JSON on stderr, or text, depending on the command. */
export function reasonOf({ out, err }: { out: string; err: string }): string {
  for (const text of [out, ...err.split('\n')]) {
    const payload = payloadOf(text)
    if (isObject(payload) && typeof payload['error'] === 'string') return payload['error']
  }
  const lines = err.split('\n').filter((line) => line.trim() !== '' && !/^(warning:|NOTE|\s+(Fix|Or):)/.test(line))
  return lines.map((line) => line.replace(/^Error:\s*/, '').trim()).join('; ') || 'it did not say why'
}

/** Why a command has no answer that was killed before it had one. */
export function killedBy(signal: string, err: string): string {
  const last = err.trim().split('\n').at(-1) ?? ''
  return `it was killed by ${signal} before it had finished${last === '' ? '' : ` (its last words: ${last})`}`
}

/**
 * bd refused because the task is gone or has another owner; a retry would get the same answer. Any other failure (a full
 * disk, a lock, a killed process) says nothing about the task. bd 1.3 has a separate exit code for a changed owner.
 */
export function isRefusal({ code, out, err }: { code: number | null; out: string; err: string }): boolean {
  return code === GUARD_MISMATCH || (code !== null && REFUSED.test(`${out}\n${err}`))
}

const GUARD_MISMATCH = 13
const REFUSED =
  /"guard_mismatch":\s*true|no issue found matching|not found: issue |issue \S+ not found|issue not claimable|issue already claimed|assignee is "[^"]*", actor is/

/** Worth a retry: concurrent writers, or a server that is restarting. */
export function isTransient(reason: string): boolean {
  return TRANSIENT.test(reason)
}

const TRANSIENT =
  /\b1213\b|\b40001\b|serialization failure|database is read only|invalid connection|bad connection|connection refused|i\/o timeout|circuit breaker|database is locked|resource temporarily unavailable|lock held|deadlock/i

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
