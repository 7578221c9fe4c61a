import type { Trouble } from '../../domain/run/event.ts'
import { API_SIGNS } from '../shared/api-signs.ts'
import { type Fields, fields, parsed, parts, string } from '../shared/fields.ts'
import { resetIn } from '../shared/reset-in.ts'
import { resetTime } from '../shared/reset-time.ts'
import { type Sign, troubleBySigns } from '../shared/signs.ts'

const SIGNS: readonly Sign[] = [
  { code: 'login', kinds: ['FatalAuthenticationError'] },
  { code: 'bad-flag', kinds: ['FatalConfigError'] },
  ...API_SIGNS,
]

/** The advice to a person after the reason. */
const ADVICE = /\s*(?:Please wait and try again later\. To increase|Possible quota limitations|💡 Tip:)[\s\S]*$/u
/** It gives the first piece of advice only after a 429. */
const AFTER_429 = /Please wait and try again later\. To increase|Possible quota limitations/

/** `[API Error: …]` around a sentence, or around the JSON answer of the service. */
export function geminiTrouble({ text, kind }: { readonly text: string; readonly kind?: string | undefined }): Trouble {
  const [, inner = text] = /^\[API Error: ([\s\S]*)\]$/.exec(text.replace(ADVICE, '').trim()) ?? []
  const answer = answerIn(inner)
  const code = answer?.['code']
  return troubleBySigns(SIGNS, {
    text: inLine(string(answer?.['message']) ?? inner),
    kind,
    status: typeof code === 'number' ? code : AFTER_429.test(text) ? 429 : undefined,
    reasons: [string(answer?.['status'])],
  })
}

/** `{"error":{…}}` or `[{"error":{…}}]`; its message may be another of the same form. */
function answerIn(text: string): Fields | undefined {
  const told = text.startsWith('[') ? parts(parsed(`{"list":${text}}`)?.['list'])[0] : parsed(text)
  const error = fields(told?.['error'])
  const nested = fields(parsed(string(error?.['message']) ?? '')?.['error'])
  return nested ?? error
}

function inLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** The exit code is the HTTP status modulo 256. */
const STATUSES = [400, 401, 402, 403, 404, 429, 499, 500, 502, 503, 504, 529]

/** Classifies a trouble by exit code if its words say nothing. */
export function byExitCode(trouble: Trouble, exit: number): Trouble {
  const status = trouble.code === 'error' ? STATUSES.find((each) => each % 256 === exit) : undefined
  return status === undefined ? trouble : troubleBySigns(SIGNS, { text: trouble.text, status })
}

/** The words name a time; a daily quota lifts at the next midnight in California. */
export function limitLifts(text: string, seenAt: number): number | undefined {
  return resetIn(text, seenAt) ?? (/daily quota|per day/i.test(text) ? nextMidnight(seenAt) : undefined)
}

/** `resetTime` also accepts a time that has just passed; a midnight that fleet computes must lie ahead. */
function nextMidnight(seenAt: number): number | undefined {
  return resetTime('resets 12am (America/Los_Angeles)', seenAt + HOUR)
}

const HOUR = 3_600_000

/** Why it ended before a session began, by exit code. */
const EXITS: Readonly<Record<number, Trouble['code']>> = {
  41: 'login',
  42: 'bad-flag',
  52: 'bad-flag',
  55: 'error',
}

/** Harmless lines that it prints at every start. */
const CHATTER =
  /^(?:Warning: (?:Basic terminal|256-color|--allowed-tools)|YOLO mode|Ripgrep is not|\[STARTUP\]|Approval mode overridden|\s+at |Loaded cached)/

/** stderr without the lines that it always writes. */
export function complaints(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !CHATTER.test(line))
    .join('\n')
}

export function troubleBeforeSession(exit: number, words: string): Trouble | undefined {
  const said = troubleBySigns(SIGNS, { text: words })
  if (/^Error (?:resuming|starting) session: /m.test(words)) return { code: 'no-session', text: said.text }
  if (/^\s+-h, --help\s/m.test(words)) {
    const [why] = /^(?:Unknown argument|Invalid values|Argument).*$/m.exec(words) ?? []
    return { code: 'bad-flag', text: why ?? 'it does not know one of the flags: it printed its help' }
  }
  const code = EXITS[exit]
  return code === undefined ? undefined : { code, text: said.text }
}

/** The last trouble that it was retrying after. */
export function tryingAgain(stderr: string): Trouble | undefined {
  const line = stderr.split('\n').findLast((each) => /^Attempt \d+ failed/.test(each))
  if (line === undefined) return undefined
  const [, status] = /^Attempt \d+ failed with status (\d+)/.exec(line) ?? []
  const message = string(answerIn(line.slice(Math.max(0, line.indexOf('{'))))?.['message'])
  const words = line
    .replace(/^Attempt \d+ failed[:.]? /, '')
    .replace(/Retrying (?:with backoff|after \d+ms)\.\.\. ?/, '')
  return troubleBySigns(SIGNS, {
    text: message === undefined ? inLine(words) : [status, message].filter(Boolean).join(' '),
    status: status === undefined ? undefined : Number(status),
  })
}
