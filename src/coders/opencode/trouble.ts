import { COMPLAINT_SETTLE_MS } from '../../domain/run/complaint-settle.ts'
import type { Trouble } from '../../domain/run/event.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { API_SIGNS } from '../shared/api-signs.ts'
import { count, type Fields, fields, known, parsed, string, word } from '../shared/fields.ts'
import { resetIn } from '../shared/reset-in.ts'
import { type Sign, troubleBySigns } from '../shared/signs.ts'

/** The names of an Anthropic subscription's windows in the headers of every answer. */
const SUBSCRIPTION = 'anthropic-ratelimit-unified'
const REJECTED = `${SUBSCRIPTION}-rejected`

/** opencode's names for failures, and those of its own model service. */
const SIGNS: readonly Sign[] = [
  { code: 'context-full', kinds: ['ContextOverflowError'] },
  { code: 'login', kinds: ['ProviderAuthError'] },
  { code: 'bad-model', kinds: ['ProviderModelNotFoundError'], says: /ProviderModelNotFoundError/ },
  { code: 'usage-limit', reasons: ['FreeUsageLimitError', 'GoUsageLimitError', REJECTED] },
  ...API_SIGNS,
]

/** `error` of an error event: a name, and the provider's answer. `at`: the time of the event. */
export function opencodeTrouble(error: Fields, at: number | undefined): Trouble {
  const about = fields(error['data'])
  const name = word(error['name'])
  const answer = fields(parsed(string(about?.['responseBody']) ?? '')?.['error'])
  const ref = word(about?.['ref'])
  const words = string(about?.['message']) ?? name ?? 'no reason given'
  const headers = fields(about?.['responseHeaders'])
  const standing = headers?.[`${SUBSCRIPTION}-status`] === 'rejected' ? REJECTED : undefined
  const trouble = troubleBySigns(SIGNS, {
    // The log holds the cause that the event replaces by a reference.
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

/** The cause of a trouble that only the log names, in the line with the same reference. */
export function fromLog(trouble: Trouble, stderr: string): Trouble {
  const [, ref] = /\((err_\w+)\)$/.exec(trouble.text) ?? []
  if (ref === undefined) return trouble
  const line = stderr.split('\n').find((each) => each.includes(`ref=${ref} `))
  const words = line === undefined ? undefined : logged(line, 'error')
  return words === undefined ? trouble : troubleBySigns(SIGNS, { text: words })
}

/**
 * The provider's answer while opencode retries, for days if the answer says so; its events do not mention it. Only lines
 * logged after its last event still hold. `since`: when fleet read that event.
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

/** `name="value"` in a line of the log. */
function logged(line: string, name: string): string | undefined {
  const start = line.indexOf(` ${name}="`)
  if (start === -1) return undefined
  const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(line.slice(start + name.length + 2)) ?? []
  return quoted === undefined ? undefined : string(parsed(`{"value":${quoted}}`)?.['value'])
}

const LENGTH = 300

/** opencode ends with a message or its help if it does not know a flag, or cannot read its configuration. */
export function troubleBeforeSession(stderr: string): Trouble | undefined {
  if (/\bSession not found\b/.test(stderr)) return { code: 'no-session', text: 'Session not found' }
  const [config] = /^.*\bConfig(?:uration is invalid| file at) .*$/m.exec(stderr) ?? []
  if (config !== undefined) return { code: 'bad-flag', text: bounded(config, LENGTH) }
  if (!/^\s+-h, --help\s/m.test(stderr)) return undefined
  return { code: 'bad-flag', text: 'it does not know one of the flags: it printed its help' }
}
