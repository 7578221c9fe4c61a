import { COMPLAINT_SETTLE_MS } from '../../domain/run/complaint-settle.ts'
import type { Trouble } from '../../domain/run/event.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { API_SIGNS } from '../shared/api-signs.ts'
import { count, type Fields, fields, known, parsed, string, word } from '../shared/fields.ts'
import { resetIn } from '../shared/reset-in.ts'
import { type Sign, troubleBySigns } from '../shared/signs.ts'

/** What the windows of an Anthropic subscription are called in the headers of every answer. */
const SUBSCRIPTION = 'anthropic-ratelimit-unified'
const REJECTED = `${SUBSCRIPTION}-rejected`

/** Its own names for what went wrong, and those of the service it runs itself. */
const SIGNS: readonly Sign[] = [
  { code: 'context-full', kinds: ['ContextOverflowError'] },
  { code: 'login', kinds: ['ProviderAuthError'] },
  { code: 'bad-model', kinds: ['ProviderModelNotFoundError'], says: /ProviderModelNotFoundError/ },
  { code: 'usage-limit', reasons: ['FreeUsageLimitError', 'GoUsageLimitError', REJECTED] },
  ...API_SIGNS,
]

/** `error` of an error event: a name, and what the provider answered. `at`: when it was told. */
export function opencodeTrouble(error: Fields, at: number | undefined): Trouble {
  const about = fields(error['data'])
  const name = word(error['name'])
  const answer = fields(parsed(string(about?.['responseBody']) ?? '')?.['error'])
  const ref = word(about?.['ref'])
  const words = string(about?.['message']) ?? name ?? 'no reason given'
  const headers = fields(about?.['responseHeaders'])
  const standing = headers?.[`${SUBSCRIPTION}-status`] === 'rejected' ? REJECTED : undefined
  const trouble = troubleBySigns(SIGNS, {
    // What it hides behind a reference stands in its log.
    text: ref === undefined ? words : `${words} (${ref})`,
    kind: name,
    status: count(about?.['statusCode']),
    reasons: [string(answer?.['type']), string(answer?.['code']), standing],
  })
  if (trouble.code !== 'usage-limit' || at === undefined) return trouble
  return { ...trouble, ...known({ resetsAt: resetOf(answer, headers, at) ?? resetIn(words, at) }) }
}

/** By the answer itself, then by its headers; `retry-after` may only be meant for the next try. */
function resetOf(answer: Fields | undefined, headers: Fields | undefined, at: number): number | undefined {
  const seconds = count(answer?.['resets_in_seconds'])
  const lifts = count(answer?.['resets_at']) ?? count(Number(string(headers?.[`${SUBSCRIPTION}-reset`])))
  return (
    laterThan(at, seconds === undefined ? undefined : at + seconds * 1000) ??
    laterThan(at, lifts === undefined ? undefined : lifts * 1000) ??
    laterThan(at, retryAt(headers, at))
  )
}

function laterThan(at: number, when: number | undefined): number | undefined {
  const whole = Math.round(when ?? 0)
  return Number.isSafeInteger(whole) && whole > at ? whole : undefined
}

/** In seconds, or a date. */
function retryAt(headers: Fields | undefined, at: number): number | undefined {
  const told = string(headers?.['retry-after'])
  if (told === undefined) return undefined
  const seconds = Number(told)
  return Number.isNaN(seconds) ? Date.parse(told) : at + seconds * 1000
}

/** A trouble whose cause is only named in its log: the line of the same reference. */
export function fromLog(trouble: Trouble, stderr: string): Trouble {
  const [, ref] = /\((err_\w+)\)$/.exec(trouble.text) ?? []
  if (ref === undefined) return trouble
  const line = stderr.split('\n').find((each) => each.includes(`ref=${ref} `))
  const words = line === undefined ? undefined : logged(line, 'error')
  return words === undefined ? trouble : troubleBySigns(SIGNS, { text: words })
}

/**
 * What the provider answers while opencode tries again and again, for days where the answer says so: its events tell
 * nothing of it. Only what was logged after its last event still holds; `since`: when that was read.
 */
export function tryingAgain(stderr: string, since: number): Trouble | undefined {
  const line = stderr.split('\n').findLast((each) => each.includes('message="stream error"'))
  if (line === undefined) return undefined
  const [, stamp = ''] = /^timestamp=(\S+)/.exec(line) ?? []
  const at = Date.parse(stamp)
  const words = logged(line, 'error.error')?.replace(/^AI_\w+: /, '')
  if (words === undefined || !(at >= since - COMPLAINT_SETTLE_MS)) return undefined
  const trouble = troubleBySigns(SIGNS, { text: words })
  return trouble.code === 'usage-limit' ? { ...trouble, ...known({ resetsAt: resetIn(words, at) }) } : trouble
}

/** `name="value"` of a line of its log. */
function logged(line: string, name: string): string | undefined {
  const start = line.indexOf(` ${name}="`)
  if (start === -1) return undefined
  const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(line.slice(start + name.length + 2)) ?? []
  return quoted === undefined ? undefined : string(parsed(`{"value":${quoted}}`)?.['value'])
}

const LENGTH = 300

/** It was called in a way it does not know, or its configuration is none: it says so, or prints its help, and ends. */
export function troubleBeforeSession(stderr: string): Trouble | undefined {
  if (/\bSession not found\b/.test(stderr)) return { code: 'no-session', text: 'Session not found' }
  const [config] = /^.*\bConfig(?:uration is invalid| file at) .*$/m.exec(stderr) ?? []
  if (config !== undefined) return { code: 'bad-flag', text: bounded(config, LENGTH) }
  if (!/^\s+-h, --help\s/m.test(stderr)) return undefined
  return { code: 'bad-flag', text: 'it does not know one of the flags: it printed its help' }
}
