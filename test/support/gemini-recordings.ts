import type { Verdict } from '../../src/ports/coder.ts'
import { failed, finished, type Recording, SILENT } from './coder-streams.ts'

/**
 * The model in these is scripted. In the older ones, two answers have 25 input, 14100 cached and 81 output tokens, and 14
 * reasoning tokens that are only in the total (14220); in the others they have 280 input, 20 cached and 66 output tokens.
 */
type Shown = Partial<Recording['figures']>

const tokens = (input: number, cacheRead: number, output: number, reasoning: number) => ({
  input,
  output,
  cacheRead,
  reasoning,
})

const TWO: Shown = { servedModel: 'mock', usage: tokens(25, 14100, 95, 14), toolCalls: 1, estimated: false }
const TWO_OTHERS: Shown = { ...TWO, servedModel: 'mock-served', usage: tokens(280, 20, 80, 14) }
/** The result reports no usage. */
const NOTHING: Shown = { usage: tokens(0, 0, 0, 0), estimated: false }

const began = (session: string, shown: Shown): Recording['figures'] => ({
  ...SILENT,
  session,
  servedModel: 'gemini-2.5-pro',
  contextWindow: 1_048_576,
  ...shown,
})

const well = (session: string, shown: Shown, more: Partial<Recording> = {}): Recording => ({
  exit: 0,
  verdict: finished,
  figures: began(session, shown),
  denied: 0,
  results: 1,
  ...more,
})

const badly = (session: string, exit: number, verdict: Verdict): Recording => ({
  ...well(session, NOTHING),
  exit,
  verdict,
})

const stopped = (session: string, text: string, shown: Shown = {}, exit = 137): Recording => ({
  ...well(session, shown),
  exit,
  verdict: failed('lost', text),
  results: 0,
})

const refusedToStart = (exit: number, verdict: Verdict): Recording => ({
  exit,
  verdict,
  figures: SILENT,
  denied: 0,
  results: 0,
})

const SESSION = '5e551017-2222-4333-8444-555555555555'
const CHAT: Shown = { estimated: false }

const inTool = (command: string): Shown => ({ toolCalls: 1, openTool: `run_shell_command: ${command}` })
const SLEEP = inTool('python3 -c "import time; time.sleep(600)"')
const KILLED = 'no result, exit 137 (SIGKILL)'

export const RECORDINGS: Readonly<Record<string, Recording>> = {
  // Ended well.
  ok: well('36a0a1fc-b557-463a-8cd9-afdf17adc281', TWO),
  resume: well('36a0a1fc-b557-463a-8cd9-afdf17adc281', TWO),
  norelaunch: well('15225812-a9c8-472e-ab8e-336f708e89d6', TWO),
  new: well('44444444-2222-4333-8444-555555555555', TWO_OTHERS),
  mcp: well('175b0809-010b-4dd6-a342-a796677750db', TWO_OTHERS),
  // These have a chat file (gemini-chats.ts). They read 1202 tokens, two more with each answer, a sixth from a cache.
  'chat-first': well(SESSION, { ...CHAT, usage: tokens(3006, 606, 57, 21), toolCalls: 2 }),
  'chat-resumed': well(SESSION, { ...CHAT, usage: tokens(2009, 409, 43, 14), toolCalls: 1 }),
  'chat-resumed-at-once': well(SESSION, { ...CHAT, usage: tokens(2009, 409, 43, 14), toolCalls: 1 }),
  // A user's policy forbade the call; a path outside the workspace is refused as a wrong argument.
  denied: well('26b88f59-4cfb-4731-891e-60b86451e28c', TWO_OTHERS, { denied: 1 }),
  outside: well('2a795700-9d59-4cb9-a3f1-6825206c81f3', TWO_OTHERS),

  // Limits: a daily quota resets at midnight in California, another at the reported time.
  'err-limit': badly(
    '277be402-7b5f-4646-b038-5bd656554149',
    173,
    failed(
      'usage-limit',
      'You have exhausted your daily quota on this model.',
      Date.parse('2026-11-16T00:00:00-08:00'),
    ),
  ),
  'limit-retry': badly(
    '75acb01f-dd0e-407c-b878-fb2e8e7ad35d',
    173,
    failed(
      'usage-limit',
      'You exceeded your current quota, please check your plan and billing details. Please retry in 3600.5s. Suggested retry after 3600.5s.',
      Date.parse('2026-11-16T03:16:34.641Z') + 3_600_500,
    ),
  ),

  // Problems of the provider, after ten tries.
  'gaveup-429': badly('d60a66f7-5947-456f-81c9-523513002703', 173, failed('overload', 'Resource exhausted')),
  'gaveup-503': badly(
    'e03a75bd-29ad-4f5e-bf61-dac8493add3e',
    247,
    failed('overload', 'The model is overloaded. Please try again later.'),
  ),
  'err-cut': badly('b766e2bf-435c-4e11-a5ea-65a49d279f7a', 1, failed('network', 'terminated')),
  'err-toolong': badly(
    '92d89995-4f62-440b-af71-0ff519745f35',
    144,
    failed('context-full', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
  ),

  // Problems of the account.
  'err-401': badly('790957b3-ed8d-424e-83c0-b4fe02d996ca', 145, failed('login', 'invalid x-api-key')),
  'err-key': badly(
    '3a723d36-06d2-4eff-9831-762cfb2dc709',
    144,
    failed('login', 'API key not valid. Please pass a valid API key.'),
  ),
  'err-402': badly('d4a33895-76bc-4947-b807-facd5d8d8e76', 146, failed('billing', 'Insufficient credits')),
  'err-403': badly(
    'cb63b207-9fd4-493c-8415-e21ed9ee6f0b',
    147,
    failed('login', 'Permission denied on resource project x.'),
  ),
  'err-404': badly(
    'b5a1183b-cf32-47e7-9d77-aff97a70bcfd',
    1,
    failed(
      'bad-model',
      'models/nonsense is not found for API version v1beta, or is not supported for generateContent.',
    ),
  ),
  noauth: refusedToStart(
    41,
    failed(
      'login',
      'Please set an Auth method in your /home/dev/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA',
    ),
  ),
  'noauth-key': refusedToStart(
    41,
    failed('login', 'When using Gemini API, you must specify the GEMINI_API_KEY environment variable.'),
  ),

  // Wrong usage.
  'resume-missing': refusedToStart(
    42,
    failed('no-session', 'Error resuming session: Invalid session identifier "99999999-2222-4333-8444-555555555555".'),
  ),
  'session-dup': refusedToStart(
    42,
    failed(
      'no-session',
      'Error starting session: Session ID "22222222-2222-4333-8444-555555555555" already exists. Use --resume to resume it, or provide a different ID.',
    ),
  ),
  badflag: refusedToStart(1, failed('bad-flag', 'Unknown argument: nonsense')),
  // Only with permissions = "settings": an untrusted folder.
  notrust: refusedToStart(
    55,
    failed(
      'error',
      'Gemini CLI is not running in a trusted directory. To proceed, either use `--skip-trust`, set the `GEMINI_CLI_TRUST_WORKSPACE=true` environment variable, or trust this directory in interactive mode. For more details, see https://geminicli.com/docs/cli/trusted-folders/#headless-and-automated-environme…',
    ),
  ),

  // Stopped from outside during its retries.
  'err-429': stopped(
    'efb73f2d-0f90-4407-b552-ec581db25f9e',
    `${KILLED}; while trying again after: 429 Resource exhausted`,
  ),
  'err-500': stopped(
    '0bcd66b2-8b6c-4b88-b6eb-295a143aca28',
    `${KILLED}; while trying again after: 500 Internal server error`,
  ),
  'err-503': stopped(
    '61121abb-e026-4320-b3b4-1d82324ed3f3',
    `${KILLED}; while trying again after: 503 The model is overloaded`,
  ),
  'err-refused': stopped(
    '46f0db0d-42b2-4d88-8aca-52af4831c7e1',
    `${KILLED}; while trying again after: Error: exception TypeError: fetch failed sending request`,
  ),

  // Stopped from outside in a tool. By default it ignores SIGINT and SIGTERM; as fleet starts it, it obeys them.
  'sig-tool-SIGINT': stopped('a16c88e8-3163-46d8-b8fc-cb2d25fcb7df', KILLED, SLEEP),
  'sig-tool-SIGKILL': stopped('122ac799-6899-4def-92bf-489e804e6522', KILLED, SLEEP),
  'sig-tool-SIGTERM': stopped('7508a4a5-499f-41d1-9159-173743d6be13', KILLED, SLEEP),
  'chat-killed': stopped(
    '6e551017-2222-4333-8444-555555555555',
    'no result, exit 0',
    inTool('touch busy; sleep 600'),
    0,
  ),
  'sig-norelaunch-SIGTERM': stopped(
    '33333333-2222-4333-8444-555555555555',
    'no result, exit 0',
    inTool('sleep 600'),
    0,
  ),
}
