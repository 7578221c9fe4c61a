import type { Verdict } from '../../src/ports/coder.ts'
import { failed, finished, type Recording, SILENT } from './coder-streams.ts'

/**
 * The model in these is scripted. In the older ones its first answer has 12 input tokens, its second 13 and 14100 cached,
 * with 33 and 34 output and 7 reasoning tokens; in the others it has 90 and 190 input, 10 cached and 33 output tokens.
 */
type Shown = Partial<Recording['figures']>

const tokens = (input: number, cacheRead: number, output: number, reasoning: number) => ({
  input,
  output,
  cacheRead,
  cacheWrite: 0,
  reasoning,
})

const TWO: Shown = {
  usage: tokens(25, 14100, 81, 14),
  costUsd: 0.00184,
  contextPeak: 14113,
  contextNow: 14113,
  toolCalls: 1,
  estimated: false,
}
const ONE_STEP: Shown = {
  usage: tokens(90, 10, 40, 7),
  costUsd: 0.000291,
  contextPeak: 100,
  contextNow: 100,
  estimated: false,
}
const TWO_STEPS: Shown = {
  ...ONE_STEP,
  usage: tokens(280, 20, 80, 14),
  costUsd: 0.000682,
  contextPeak: 200,
  contextNow: 200,
  toolCalls: 1,
}

const well = (session: string, shown: Shown, more: Partial<Recording> = {}): Recording => ({
  exit: 0,
  verdict: finished,
  figures: { ...SILENT, session, ...shown },
  denied: 0,
  results: 1,
  ...more,
})

const badly = (session: string, verdict: Verdict, shown: Shown = {}, more: Partial<Recording> = {}): Recording => ({
  ...well(session, shown),
  exit: 1,
  verdict,
  results: 0,
  ...more,
})

const silent = (exit: number, verdict: Verdict): Recording => ({
  exit,
  verdict,
  figures: SILENT,
  denied: 0,
  results: 0,
})

const killed = (session: string, exit: number, signal: string): Recording =>
  badly(session, failed('lost', `no result, exit ${exit} (${signal})`), {}, { exit })

const interrupted = (session: string): Recording => {
  const text = 'something outside fleet interrupted it (SIGINT, as Ctrl-C sends); its session is kept'
  return badly(session, failed('interrupted', text), {}, { exit: 130 })
}

const LOST = failed('lost', 'no result, exit 137 (SIGKILL)')
const TOO_LONG =
  "This model's maximum context length is 200000 tokens. However, your messages resulted in 300000 tokens."

export const RECORDINGS: Readonly<Record<string, Recording>> = {
  // Ended well.
  ok: well('ses_e1f815de4ffeBULSJxEhueyOMH', TWO),
  ok2: well('ses_e1f810bcfffefK9ZPJNWPPX0Ir', TWO),
  resume: well('ses_e1f810bcfffefK9ZPJNWPPX0Ir', TWO),
  mcp: well('ses_e1f7c265affe4I0IbQ89f2aNfT', TWO),
  new: well('ses_e1d864b57ffeJf1984QoCk3FNX', TWO_STEPS),
  two: well('ses_e1daa1fd2ffeI736LnFyBFJL4S', { ...TWO_STEPS, toolCalls: 2 }),
  'tool-exit': well('ses_e1daa58eaffeBEKggs5bvoPLKy', TWO_STEPS),
  empty: well('ses_e1daab719ffeFffqBG5Qp90Yrg', ONE_STEP),
  // It compacted a full context and continued; its exit status is 1 all the same.
  compacted: well('ses_e1da785b2ffedGNf0YBeR3nAzg', { ...TWO_STEPS, toolCalls: 0 }, { exit: 1, results: 2 }),
  // The configuration forbade a call: the model got the refusal and continued.
  denied: well('ses_e1d8553aaffe5WSekOESS4PnlE', TWO_STEPS, { denied: 1 }),

  // Ended badly, with exit status 0.
  rejected: badly(
    'ses_e1d84ad7bffeCW4gq266vIQR7Z',
    failed('denied', 'stopped where nobody could give permission: write: /home/dev/tmp/elsewhere.md'),
    { ...ONE_STEP, toolCalls: 1 },
    { exit: 0, denied: 1, results: 1 },
  ),
  length: badly('ses_e1daae0daffelELniF00M2D7rZ', failed('error', 'its last answer was cut off: too long'), ONE_STEP, {
    exit: 0,
    results: 1,
  }),

  // Problems of the provider.
  'err-429': badly(
    'ses_e1f8028aeffeMiIAq0Te3gQLe5',
    failed('overload', 'Number of request tokens has exceeded your per-minute rate limit'),
  ),
  'gaveup-429': badly('ses_e1da70493ffeUGLbPhEKoIW2IM', failed('overload', 'Resource exhausted')),
  'err-toolong': badly('ses_e1dab0504ffegssb8ckVmakj8l', failed('context-full', TOO_LONG)),
  filtered: badly(
    'ses_e1daa7c13ffeJCd2Ldy3wkxyHg',
    failed('error', "The response was blocked by the provider's content filter"),
    ONE_STEP,
    { results: 1 },
  ),

  // Problems of the account.
  'err-401': badly('ses_e1f80ef8bffeiJ7GJ1WVLtl65w', failed('login', 'invalid x-api-key')),
  'late-401': badly('ses_e1da741c5ffe8QPf8GScXgVlzJ', failed('login', 'invalid x-api-key'), {
    ...ONE_STEP,
    toolCalls: 1,
    estimated: true,
  }),
  'err-key': badly(
    'ses_e1dabaa7cffeQvsvncKQK9Msaz',
    failed('login', 'API key not valid. Please pass a valid API key.'),
  ),
  'err-402': badly('ses_e1dab5486ffeIRCQZaD3YEE0aa', failed('billing', 'Insufficient credits')),
  'err-403': badly('ses_e1dab3204ffe7nsuPg6dIAu233', failed('login', 'Permission denied on resource project x.')),
  'err-404': badly(
    'ses_e1dab1c59ffe1p4ML0xbjNNKx1',
    failed(
      'bad-model',
      'models/nonsense is not found for API version v1beta, or is not supported for generateContent.',
    ),
  ),
  // The event only reports a failure; the log on stderr has the cause.
  'bad-model': badly(
    'ses_e1dad6f3fffewc8inSsAqS6l3o',
    failed('bad-model', 'ProviderModelNotFoundError: Model not found: mock/nonsense.'),
  ),

  // Wrong usage.
  'resume-missing': silent(1, failed('no-session', 'Session not found')),
  badflag: silent(1, failed('bad-flag', 'it does not know one of the flags: it printed its help')),
  badconfig: silent(
    1,
    failed('bad-flag', 'Error: Configuration is invalid at /home/dev/.config/opencode/opencode.json'),
  ),

  // Stopped from outside during its retries: its events do not show them, and the older ones have no log.
  'err-500': silent(137, LOST),
  'err-529': silent(137, LOST),
  'err-limit': silent(137, LOST),
  'err-quota': silent(137, LOST),
  'err-cut': killed('ses_e1f7e87eeffetWWFykVTG6wgPd', 137, 'SIGKILL'),
  'retry-500': silent(137, failed('overload', 'Internal server error')),
  'retry-quota': silent(
    137,
    failed('usage-limit', 'You exceeded your current quota, please check your plan and billing details.'),
  ),
  // The model answered again after the logged error, so the error is not the cause.
  'retry-cut': badly(
    'ses_e1da5b986ffee260Xax07JQcRX',
    failed(
      'lost',
      'no result, exit 137 (SIGKILL); …PICallError: Cannot connect to API: The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch() (cause: Error: The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch())"',
    ),
    {},
    { exit: 137 },
  ),

  // Stopped from outside.
  'sig-stream-SIGINT': interrupted('ses_e1f7ce374ffeVPTrXTmDLnDff0'),
  'sig-stream-SIGKILL': killed('ses_e1f7cc20affel9eadhElwq7JXK', 137, 'SIGKILL'),
  'sig-stream-SIGTERM': killed('ses_e1f7d0405ffexC8ZXAFh7XTToL', 143, 'SIGTERM'),
  'sig-tool-SIGINT': interrupted('ses_e1f7c818dffeyP0UHOE7Y961zp'),
  'sig-tool-SIGKILL': killed('ses_e1f7c6128ffeCxzUKL6qO8kMlk', 137, 'SIGKILL'),
}
