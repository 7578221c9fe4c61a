import type { Verdict } from '../../src/ports/coder.ts'
import { failed, finished, SILENT, type Recording as Stream } from './coder-streams.ts'

/**
 * What the stdout of each recording in test/fixtures/coders/codex shows, read from the recording itself and from
 * knowledge of the CLI's endings, never from the parser. The model in them is scripted: its first answer reads 12
 * tokens, its second 13 and 14100 of the cache, its third 14 (in some 13) and 14200.
 */
export interface Recording extends Stream {
  /** Whether it resumes a thread of earlier runs. */
  readonly resumed: boolean
}

type Shown = Partial<Recording['figures']>

/** A run that reported its session and nothing else. */
export const began = (session: string | null, shown: Shown = {}): Recording['figures'] => ({
  ...SILENT,
  session,
  ...shown,
})

export const tokens = (input: number, cacheRead: number, output: number, reasoning: number) => ({
  input,
  output,
  cacheRead,
  cacheWrite: 0,
  reasoning,
})

/** One, two or three answers of the model, and the tool calls in between. */
const ONE: Shown = { usage: tokens(12, 0, 40, 7), estimated: false }
const TWO: Shown = { usage: tokens(25, 14100, 81, 14), toolCalls: 1, estimated: false }
const THREE: Shown = { usage: tokens(39, 28300, 123, 21), toolCalls: 2, estimated: false }
/** The same, for the script whose third answer reads 13 tokens. */
const THREE_AGAIN: Shown = { ...THREE, usage: tokens(38, 28300, 123, 21) }
/** Versions that do not count tokens written to the cache. */
const older = ({ usage = {}, ...shown }: Shown): Shown => {
  const { cacheWrite: _, ...rest } = usage
  return { ...shown, usage: rest }
}

const well = (session: string, shown: Shown, more: Partial<Recording> = {}): Recording => ({
  exit: 0,
  resumed: false,
  verdict: finished,
  figures: began(session, shown),
  denied: 0,
  results: 1,
  ...more,
})

/** A failed turn reports no usage. */
const badly = (session: string, verdict: Verdict): Recording => well(session, {}, { exit: 1, verdict })

const killed = (session: string, exit: number, text: string, shown: Shown = {}): Recording =>
  well(session, shown, { exit, verdict: failed('lost', text), results: 0 })

const silent = (exit: number, verdict: Verdict): Recording => ({
  ...well('', {}, { exit, verdict, results: 0 }),
  figures: began(null),
})

const RESUMED = '01a1e074-125c-7150-bbd0-21519693a11a'
const SIGKILL = 'no result, exit 137 (SIGKILL)'
const SIGTERM = 'no result, exit 143 (SIGTERM)'
const SLEEPING: Shown = { toolCalls: 1, openTool: 'command_execution: python3 -c "import time; time.sleep(600)"' }
const OVERLOADED =
  'unexpected status 529 <unknown status code>: Overloaded, url: http://127.0.0.1:8788/s/529/v1/responses'
const IDLE = failed('network', 'stream disconnected before completion: idle timeout waiting for SSE')

export const RECORDINGS: Readonly<Record<string, Recording>> = {
  // Ended well.
  ok: well('01a1e09c-4d15-71f2-9c3f-690070a125ee', TWO),
  ok2: well('01a1e074-4cfa-70c3-a3d8-3e8ddc8702a7', TWO),
  'ok3-nosideeffects': well('01a1e074-62f2-7e01-933a-5f82f49cd9b0', TWO),
  agent: well('01a1e077-8863-75e1-a9b6-a004093866d8', ONE),
  allowed: well('01a1e077-9f6b-74c1-b407-f8046f6bf9eb', TWO),
  bgtool: well('01a1e076-b0ae-7510-92f6-1a4b28f9bf0c', TWO),
  'hooks-log': well('01a1e078-1822-7e72-a36d-95772863419a', TWO),
  'hooks-notrust': well('01a1e078-300e-7241-8098-c4b4dd07c087', TWO),
  mcp: well('01a1e09e-0526-73a0-b946-bcbcb6e51551', TWO),
  'mcp-broken': well('01a1e078-c7da-7e81-a5ad-f7dbe4a8c5ea', TWO),
  notify: well('01a1e079-20cc-7273-9d30-b61da9b14928', TWO),
  'sandbox-ww': well('01a1e079-0a4b-7c82-b636-8108a62045f3', THREE),
  think: well('01a1e077-5b6a-7370-a54b-0bb820133da5', ONE),
  'thread-first': well('01a1e26e-8ecc-7211-870a-bb733c3e2944', TWO),
  todo: well('01a1e077-4536-7352-bfaf-348f6499cdcb', ONE),
  wrapper: well('01a1e098-570f-79a1-ae7b-d6b3bc35365d', TWO),
  write: well('01a1e077-2eb6-7c80-b0a0-8ad4d327f0fd', THREE),
  'code-mode': well('01a1e26e-d3d6-7b31-8fd0-5114a6326841', THREE_AGAIN),
  collab: well('01a1e26e-d8f0-7633-9cbb-6cb3c3a1107c', { ...THREE_AGAIN, toolCalls: 1 }),
  compacted: well('01a1e26f-5144-76e0-9401-6b25ff5baefe', {
    ...TWO,
    usage: tokens(49, 14100, 161, 28),
    toolCalls: 2,
  }),
  search: well('01a1e26f-4ba9-72a1-96c6-b466a1d92946', { ...TWO, toolCalls: 2 }),
  // Got another prompt after its turn had ended: a third answer that reads as much as the first.
  'hooks-blockstop': well('01a1e078-4686-7820-9812-91996d02a939', { ...TWO, usage: tokens(37, 14100, 121, 21) }),

  // Calls that were refused, or that stdout never reports.
  'hooks-denybash': well('01a1e078-5d86-7a60-9308-2ab3e29a593f', { ...TWO, toolCalls: 0 }),
  'refused-by-hook': well('01a1e26e-a1f0-7811-9a72-8ea1982512e2', { ...TWO, toolCalls: 0 }),
  'sandbox-ro': well('01a1e078-f3c2-77a1-accb-a9b38e521f88', { ...THREE, toolCalls: 1 }),
  'refused-by-sandbox': well('01a1e26e-be75-7242-a39c-513a0006cdaf', { ...THREE_AGAIN, toolCalls: 1 }),
  'silent-calls': well('01a1e26e-c47c-7f91-972d-2646ba1b85df', { ...TWO, usage: tokens(64, 57000, 210, 35) }),

  // Resumed: the usage covers two or three runs, and stdout does not separate them.
  resume: well(RESUMED, { ...TWO, usage: tokens(50, 28200, 162, 28), estimated: true }, { resumed: true }),
  'acct2-resume': well(RESUMED, { ...TWO, usage: tokens(75, 42300, 243, 42), estimated: true }, { resumed: true }),
  'thread-resumed': well(
    '01a1e26e-8ecc-7211-870a-bb733c3e2944',
    { ...THREE_AGAIN, usage: tokens(63, 42400, 204, 35), estimated: true },
    { resumed: true },
  ),
  'resume-missing': {
    ...silent(
      1,
      failed(
        'no-session',
        'Error: thread/resume: thread/resume failed: no rollout found for thread id 99999999-2222-4333-8444-555555555555 (code -32600)',
      ),
    ),
    resumed: true,
  },

  // A version half a year older.
  'older-first': well('01a1e26f-73c4-7d32-9c41-f15555499592', older(TWO)),
  'older-resumed': well(
    '01a1e26f-73c4-7d32-9c41-f15555499592',
    older({ ...THREE_AGAIN, usage: tokens(63, 42400, 204, 35), estimated: true }),
    { resumed: true },
  ),
  'older-plan': well('01a1e26f-83ea-74d3-89af-8824f3aa405d', older({ ...THREE_AGAIN, toolCalls: 0 })),
  'older-limit': badly(
    '01a1e26f-8145-71c0-9376-9543a9b753ea',
    failed(
      'usage-limit',
      "You've hit your usage limit. To get more access now, send a request to your admin or try again at 3:48 AM.",
      new Date(2026, 10, 16, 3, 48).getTime(),
    ),
  ),

  // Limits.
  'err-limit': badly(
    '01a1e075-d2c1-7e23-9c1d-9a83203b4f02',
    failed(
      'usage-limit',
      'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 7:26 PM.',
      new Date(2026, 10, 15, 19, 26).getTime(),
    ),
  ),
  'limit-weekly': badly(
    '01a1e26f-04b5-7821-a76a-2be0b034ef40',
    failed(
      'usage-limit',
      'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at Nov 19th, 2026 3:38 AM.',
      new Date(2026, 10, 19, 3, 38).getTime(),
    ),
  ),
  'err-429': badly(
    '01a1e075-c913-7612-b928-f9b620953899',
    failed('overload', 'exceeded retry limit, last status: 429 Too Many Requests'),
  ),
  'per-minute': badly(
    '01a1e26f-15be-71b0-9c1b-272b7d621255',
    failed(
      'overload',
      'rate limit exceeded: Rate limit reached for gpt-5.1 in organization org-x on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 11.054s.',
    ),
  ),

  // Problems of the provider.
  'err-500': badly(
    '01a1e075-ec53-7402-92c8-ca9e0ad3e9ae',
    failed('overload', 'We’re currently experiencing high demand, which may cause temporary errors.'),
  ),
  'err-529': badly('01a1e075-d4da-77e0-8d02-4ece8b5d8374', failed('overload', OVERLOADED)),
  'err-529-default': badly('01a1e076-536c-7923-8320-925bf7838b30', failed('overload', OVERLOADED)),
  capacity: badly(
    '01a1e26f-0d8c-7c33-92f6-63f56f6585ee',
    failed('overload', 'Selected model is at capacity. Please try a different model.'),
  ),
  'err-reset': badly(
    '01a1e076-0c4f-7100-9f44-b3ed00efdc98',
    failed('network', 'stream disconnected before completion: error sending request'),
  ),
  'no-connection': badly(
    '01a1e26f-55f9-78c2-8635-1ca9aeb9e8bc',
    failed('network', 'Connection failed: error sending request'),
  ),
  cut: badly(
    '01a1e26f-4710-7830-b324-2790c7472a18',
    failed('network', 'stream disconnected before completion: stream closed before response.completed'),
  ),
  'stall-hangbody': badly('01a1e076-534a-7e23-b8e5-0712b89404ad', IDLE),
  'stall-hangmid': badly('01a1e076-533f-7123-83cb-e3af66712612', IDLE),
  'stall-hangmid-short': badly('01a1e08b-35d1-7090-9d20-8b808c8ae55f', IDLE),

  // Problems of the account.
  'err-401': badly(
    '01a1e075-f7aa-7881-8c28-29bb02ecd494',
    failed(
      'login',
      'unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1:8788/s/401/v1/responses',
    ),
  ),
  'err-403': badly(
    '01a1e075-fb84-7972-8fcb-bf07114478db',
    failed(
      'login',
      'unexpected status 403 Forbidden: OAuth token does not meet scope requirement, url: http://127.0.0.1:8788/s/403/v1/responses',
    ),
  ),
  noauth: badly('01a1e097-4871-7112-9e81-43ebd668d88e', failed('login', 'Missing environment variable: `MOCK_KEY`.')),
  quota: badly(
    '01a1e26f-076d-7681-91ce-93a886db5b50',
    failed('billing', 'Quota exceeded. Check your plan and billing details.'),
  ),
  'model-missing': badly(
    '01a1e26f-0a8e-79d3-abb3-705f555e9cb8',
    failed('bad-model', 'The model `nope` does not exist or you do not have access to it.'),
  ),

  // Its own limits.
  'err-toolong': badly(
    '01a1e076-001f-7482-a5f0-9c8c7b0e0e8b',
    failed('context-full', 'Your input exceeds the context window of this model.'),
  ),
  'context-window': badly(
    '01a1e26f-115f-7e72-83ab-6285b3d6ffd8',
    failed(
      'context-full',
      "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
    ),
  ),
  incomplete: badly(
    '01a1e26f-43a6-7322-9c23-349b2f4e0a30',
    failed('error', 'Incomplete response returned, reason: max_output_tokens'),
  ),

  // Stopped from outside, or never active.
  'sig-stream-SIGHUP': killed('01a1e076-7a30-7521-a4c8-be4e17c33db5', 129, 'no result, exit 129 (SIGHUP)'),
  'sig-stream-SIGINT': killed('01a1e076-5ffd-7923-bd38-c9fc3d4d43db', 1, 'no result, exit 1'),
  'sig-stream-SIGKILL': killed('01a1e076-6d2a-7853-a416-604e238bdc0d', 137, SIGKILL),
  'sig-stream-SIGTERM': killed('01a1e076-53a5-7760-8137-581500ef0481', 143, SIGTERM),
  'sig-tool-SIGKILL': killed('01a1e076-a369-70d3-b507-3b1779504d83', 137, SIGKILL, SLEEPING),
  'sig-tool-SIGTERM': killed('01a1e076-87d3-7520-b1cf-334a54e70447', 143, SIGTERM, SLEEPING),
  'killed-in-tool': killed('01a1e26f-5cb5-7c72-bfec-09e4a5665ce4', 143, SIGTERM, {
    toolCalls: 1,
    openTool: 'command_execution: sleep 600',
  }),
  'stall-hang': killed('01a1e076-53db-74f0-80a4-17ed41279db3', 137, SIGKILL),
  'stall-hang-short': killed('01a1e08b-6127-7831-b5fc-648c093a8835', 137, SIGKILL),
  'stdin-open': silent(137, failed('lost', SIGKILL)),
}
