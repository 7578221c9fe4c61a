import type { Verdict } from '../../src/ports/coder.ts'
import { failed, finished, type Recording, SILENT } from './coder-streams.ts'

/**
 * What each recording in test/fixtures/coders/claude shows, read from the recording itself (jq) and from knowledge of
 * the CLI's endings, never from the parser. The model in them is scripted: its first answer reads 12 + 14000
 * tokens, its second 13 + 14100 + 100, its third 14 + 14200 + 100.
 */

const OPUS = 'claude-opus-5-5'
const SONNET = 'claude-sonnet-5-5'

type Shown = Partial<Recording['figures']>

/** A run that reported its session and nothing else. */
const began = (session: string, shown: Shown): Recording['figures'] => ({
  ...SILENT,
  session,
  servedModel: OPUS,
  coderVersion: '2.1.325',
  ...shown,
})

const neverBegan = (shown: Shown = {}): Recording['figures'] => ({
  ...began('', shown),
  session: null,
  servedModel: null,
  coderVersion: null,
})

const tokens = (input: number, cacheRead: number, cacheWrite: number, output: number) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
  reasoning: 0,
})

/** One, two or three answers of the model, with the figures of the result. */
const ONE: Shown = {
  usage: tokens(12, 0, 14000, 40),
  costUsd: 0.070848,
  contextPeak: 14012,
  contextNow: 14012,
  contextWindow: 1_000_000,
  estimated: false,
}
const TWO: Shown = {
  ...ONE,
  usage: tokens(25, 14100, 14100, 81),
  costUsd: 0.07504,
  contextPeak: 14213,
  contextNow: 14213,
  toolCalls: 1,
}
const THREE: Shown = {
  ...ONE,
  usage: tokens(39, 28300, 14200, 123),
  costUsd: 0.079276,
  contextPeak: 14314,
  contextNow: 14314,
  toolCalls: 2,
}
/** Got another prompt after its turn had ended: a third message that reads as much as the first. */
const WENT_ON: Shown = {
  ...TWO,
  usage: tokens(37, 14100, 28100, 121),
  costUsd: 0.145888,
  contextNow: 14012,
}
/** The first message started, and no total was reported. */
const CUT_SHORT: Shown = {
  usage: { input: 12, output: 1, cacheRead: 0, cacheWrite: 14000 },
  contextPeak: 14012,
  contextNow: 14012,
}
/** The result reports no usage. */
const NOTHING: Shown = { usage: tokens(0, 0, 0, 0), costUsd: 0, estimated: false }

const well = (session: string, shown: Shown, more: Partial<Recording> = {}): Recording => ({
  exit: 0,
  verdict: finished,
  figures: began(session, shown),
  denied: 0,
  results: 1,
  ...more,
})

const badly = (
  session: string,
  verdict: Verdict,
  shown: Shown = NOTHING,
  more: Partial<Recording> = {},
): Recording => ({
  ...well(session, shown),
  exit: 1,
  verdict,
  ...more,
})

const killed = (session: string, exit: number, text: string, shown: Shown = {}): Recording =>
  badly(session, failed('lost', text), shown, { exit, results: 0 })

const refusedToStart = (verdict: Verdict): Recording => ({
  exit: 1,
  verdict,
  figures: neverBegan(),
  denied: 0,
  results: 0,
})

const INTERRUPTED = 'something outside fleet interrupted it (SIGINT, as Ctrl-C sends); its session is kept'
const ASKED = '11111111-2222-4333-8444-555555555555'
const ROOT = '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons'
const OVERLOADED =
  'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8787).'

export const RECORDINGS: Readonly<Record<string, Recording>> = {
  // Ended well.
  ok: well('a98d33ef-acf4-49cb-b701-406793aa4a9f', TWO),
  agentsmd: well('39dcb3aa-9cb5-47ca-92c3-bb778f2f5ebb', TWO),
  autocompact: well('f924b785-fe79-4834-a3ee-6c987ddae84f', {
    ...TWO,
    usage: tokens(190_013, 14100, 14100, 81),
    costUsd: 0.834992,
    contextPeak: 204_000,
  }),
  badjson: well('54f96be0-1ea5-4920-97f0-7331e7e69aba', TWO),
  bgtool: well('416a30b4-f955-4c56-93e7-8b2e5aba5402', TWO),
  'both-auth': well('9975cf58-7e74-4db1-92d8-45f4979b40a7', TWO),
  ctx: well('98211054-ed0a-4047-9f7f-5e10adf583b9', TWO),
  'ctx-bare': well('a5a489aa-acec-47eb-b39b-704cb098a34b', TWO),
  'ctx-safe': well('5edde015-231a-45e6-8d4b-6b2fc889f053', TWO),
  'ctx-strict': well('0edfe804-68e0-4412-b10e-db79e0648073', TWO),
  'hooks-blockstop': well('47bf2b84-429d-4001-b18d-a6e013a471d2', WENT_ON),
  'hooks-log': well('148a2e22-1011-4e3d-8228-76a39633068d', TWO),
  mcp: well('205a1036-cf3c-4b5c-8def-a8912b0d7e7b', ONE),
  'mcp-direct': well('f113b07b-e099-4fab-8577-44ac95684a7d', TWO),
  nested: well('08676717-4630-4450-832b-2e9a7fdeeed4', TWO),
  partial: well('814b939d-3fc9-4cd7-8a39-ae7da3542593', TWO),
  'perm-acceptEdits': well('f53141d0-2d20-480c-b6f7-b7317ad1aae2', THREE),
  'perm-auto': well('f7ae8903-b8b6-4c58-a6b4-4efcbaf7a9ab', THREE),
  'perm-dontAsk': well('961b4e7b-03da-4fdb-8e17-a76918b12f68', THREE),
  'stdin-open': well('e4c5e1ab-283f-4bb2-9a2d-a2c342b418a5', TWO),
  think: well('b1828b99-ebb5-4b21-accc-540a0e42334a', ONE),
  'slash-context': well('214d2c14-fbe7-44b3-8a5d-5292c7185964', NOTHING),
  'slash-usage': well('0f822cb4-e1e6-48ae-a4c4-abd275a4ce1c', NOTHING),

  // A sub-agent in the background wakes it: two results, its tokens paid but not in the context.
  agent: well(
    'e32ed6a0-da2b-4a78-87f1-b56c4333b183',
    { ...TWO, usage: tokens(49, 14100, 42100, 161), costUsd: 0.216736, contextNow: 14012 },
    { results: 2 },
  ),

  // A denied tool call, which claude does not treat as an error.
  'perm-default': well('f9be7c94-145d-44b1-9d64-f0fba1663079', THREE, { denied: 1 }),
  'perm-dontAsk-none': well('26389aca-167f-49b5-98a0-bc3d70a5e7ca', TWO, { denied: 1 }),
  'hooks-denybash': well('7ea0c818-3f31-4730-a7e1-02a60129e9a4', TWO, { denied: 1 }),

  // Sessions: the result's cost and modelUsage are the session's; the run's own usage and cost stand beside them.
  sess1: well(ASKED, TWO),
  'sess-resume': well(ASKED, TWO),
  'sess-continue': well(ASKED, TWO),
  'sess-resume-othercwd': well(ASKED, TWO),
  'sess-resume-fork': well('a58c93df-83e6-4198-930e-04af6b0d6895', TWO),
  'acct2-resume': well(ASKED, TWO),
  'acct3-resume': well(ASKED, TWO),
  'sess-dup': refusedToStart(failed('no-session', `Error: Session ID ${ASKED} is already in use.`)),
  'sess-resume-missing': {
    ...refusedToStart(
      failed('no-session', 'No conversation found with session ID: 99999999-2222-4333-8444-555555555555'),
    ),
    figures: neverBegan(NOTHING),
    results: 1,
  },

  // Wrong usage.
  badflag: refusedToStart(failed('bad-flag', "error: unknown option '--nonsense'")),
  'fmt-noverbose': refusedToStart(
    failed('bad-flag', 'Error: When using --print, --output-format=stream-json requires --verbose'),
  ),
  'root-nosandbox': refusedToStart(failed('bad-flag', ROOT)),
  'root-nosandbox-mode': refusedToStart(failed('bad-flag', ROOT)),
  // One document instead of a stream: the result alone, without model_usage_since_last_result.
  'fmt-json': {
    ...well('', {}),
    figures: neverBegan({
      usage: tokens(25, 14100, 14100, 81),
      costUsd: 0.07504,
      contextWindow: 1_000_000,
      estimated: false,
    }),
  },

  // Limits.
  'oauth-allowed': well('5e7fbc01-1d12-4d79-8b2b-2cbff4673958', { ...TWO, servedModel: SONNET, costUsd: 0.03752 }),
  'oauth-warn': well('5fa91e68-4856-4e3b-bbd5-061b73effd2d', { ...TWO, servedModel: SONNET, costUsd: 0.03752 }),
  'oauth-limit': badly(
    'ae360031-2221-4ec8-b84a-47cbfa506fb8',
    failed('usage-limit', "You've hit your 5-hour limit · resets 7:18pm (UTC)", Date.parse('2026-11-15T19:18:03Z')),
    { ...NOTHING, servedModel: SONNET },
  ),
  // With an API key the headers of a subscription are ignored: only the text tells this 429 from another.
  'err-limit': badly(
    '663d8d12-73b4-4e1e-8ee3-e4a7a73ccf59',
    failed(
      'overload',
      "API Error: Request rejected (429) · This request would exceed your account's rate limit. Please try again later.",
    ),
  ),
  'err-limit7d': badly(
    'dc0f4290-5b28-411e-9817-1bfd23061158',
    failed('usage-limit', 'API Error: Request rejected (429) · weekly'),
  ),
  'err-429-retry2': badly(
    'bab673e7-4e5c-48cd-a355-b68edb406588',
    failed(
      'overload',
      'API Error: Request rejected (429) · Number of request tokens has exceeded your per-minute rate limit',
    ),
  ),

  // Problems of the provider.
  'err-500-retry2': badly(
    'b633c01d-248f-47e5-904d-ec5634d76208',
    failed('overload', OVERLOADED.replace('529 Overloaded', '500 Internal server error')),
  ),
  'err-529-retry2': badly('41606945-bb5d-4849-adac-b9d5722548a5', failed('overload', OVERLOADED)),
  'err-529-fallback': badly('ecf36909-9984-46f8-bc9c-121e1b680b17', failed('overload', OVERLOADED)),
  'err-refused': badly(
    '8488a529-23e2-46e0-a3c9-7bccb988c418',
    failed('network', 'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)'),
  ),
  'stall-hang-short': badly('65c18bbf-df05-4324-81f8-8facfb5d26f3', failed('network', 'Request timed out')),
  'err-cut': well('7e32c222-49b5-4c91-8f75-94e77d0548a4', {
    ...TWO,
    usage: tokens(100, 56400, 56400, 87),
    costUsd: 0.29542,
  }),
  'stall-hangmid': well('f3669fab-912d-4928-aced-f747602a78e2', TWO),

  // Problems of the account.
  'err-401-retry2': badly(
    'cfcbabf7-e2ac-4294-ba38-783c0feddc47',
    failed('login', 'Invalid API key · Fix external API key'),
  ),
  'err-403': badly(
    '233b4caf-1fd1-40f7-bd9f-b8163b4a8574',
    failed('login', 'Failed to authenticate. API Error: 403 OAuth token does not meet scope requirement'),
  ),
  noauth: badly('62b1f146-e55d-48ae-807f-88288f8a51ac', failed('login', 'Not logged in · Please run /login')),
  'oauth-401': badly('947b9a26-4065-4b32-b086-03a4e462a7ab', failed('login', 'Not logged in · Please run /login'), {
    ...NOTHING,
    servedModel: SONNET,
  }),
  'err-402': badly('5edb47af-362d-4298-ae2d-8239deba04c9', failed('billing', 'Credit balance is too low')),

  // Its own limits.
  maxbudget: badly('3a360ca1-ff7d-46e7-bba2-6c53934155f6', failed('budget', 'Reached maximum budget ($0.1)'), {
    ...ONE,
    usage: tokens(124, 100_800, 14700, 348),
    costUsd: 0.101116,
    contextPeak: 14819,
    contextNow: 14819,
    toolCalls: 8,
  }),
  maxturns: badly('168df369-a8a8-4990-b243-a91a50ff017f', failed('error', 'Reached maximum number of turns (3)'), {
    ...THREE,
    toolCalls: 3,
  }),
  refusal: badly(
    'fd9792ac-8c04-4158-a129-1f3d62f5df2c',
    failed(
      'error',
      "API Error: Opus 5.5's safeguards flagged this message (https://www.anthropic.com/legal/aup). This sometimes happens with safe, normal conversations. Claude Code can't respond to this message with Opus 5.5.",
    ),
    {
      usage: tokens(24, 0, 28000, 80),
      costUsd: 0.141696,
      contextWindow: 1_000_000,
      estimated: false,
    },
  ),

  // Stopped from outside.
  'sig-stream-SIGHUP': killed('cf2a4b83-27a3-4dd5-a1b4-f9b81248c210', 129, 'no result, exit 129 (SIGHUP)', CUT_SHORT),
  'sig-stream-SIGINT': badly(
    '8d6493fc-c902-4bb9-8cf5-1fd373034d71',
    failed('interrupted', INTERRUPTED),
    { ...CUT_SHORT, usage: tokens(12, 0, 14000, 1) },
    { exit: 0, results: 0 },
  ),
  'sig-stream-SIGKILL': killed('e0d65483-8f71-4449-88b6-f75f42096d9f', 137, 'no result, exit 137 (SIGKILL)', CUT_SHORT),
  'sig-stream-SIGTERM': killed('23b191e8-e5ba-43b7-b57a-d4b0ed919846', 143, 'no result, exit 143 (SIGTERM)', CUT_SHORT),
  'sig-tool-SIGKILL': killed('1bf6276b-9dc8-4eac-ad99-62170a85d2e7', 137, 'no result, exit 137 (SIGKILL)', {
    ...CUT_SHORT,
    toolCalls: 1,
    openTool: 'Bash: python3 -c "import time; time.sleep(600)"',
  }),
  'sig-tool-SIGTERM': killed('380b3a6c-dc4c-4044-b000-066aab4e8533', 143, 'no result, exit 143 (SIGTERM)', {
    ...CUT_SHORT,
    toolCalls: 1,
  }),
  'err-401': killed(
    'd455d4a5-0d3f-44d9-a025-459e46c3a361',
    137,
    'no result, exit 137 (SIGKILL); while trying again after: 401 authentication_failed',
  ),
  'err-429': killed(
    '5df31bc5-786f-4366-88f1-1bd6935a5ab4',
    137,
    'no result, exit 137 (SIGKILL); while trying again after: 429 rate_limit',
  ),
  'err-500': killed(
    'edf31934-eb08-4727-9477-9ce2b0e4110a',
    137,
    'no result, exit 137 (SIGKILL); while trying again after: 500 server_error',
  ),
  'err-529': killed(
    'edcd2400-deb9-47cc-bb56-679aaa0891af',
    137,
    'no result, exit 137 (SIGKILL); while trying again after: 529 overloaded',
  ),
  'stall-hang': killed(
    'bf4c4037-109c-47e4-aaeb-9dd85805bbb9',
    137,
    'no result, exit 137 (SIGKILL); while trying again after: unknown',
  ),
  'stall-hangbody': killed(
    'fa685dcc-e4cd-4c15-a85d-4fd1b53b4a81',
    137,
    'no result, exit 137 (SIGKILL); while trying again after: unknown',
  ),
  'stall-ping': killed(
    '4c92ae6c-5b3c-456d-8ce8-f49611fb7745',
    137,
    'no result, exit 137 (SIGKILL); while trying again after: unknown',
  ),
  'stall-hangmid-short': killed('fc8e4aef-e9ad-4d14-a909-d56ff61ca6eb', 137, 'no result, exit 137 (SIGKILL)'),

  // With a pipe to its stdin: both directions are recorded, and only its output is read.
  'sj-eof': well('a309df94-6aef-45c0-afe6-e4b3cb3befb0', TWO, { denied: 1 }),
  'sj-init': well('e4e0df32-c791-4e15-a859-f58d9b12d743', WENT_ON),
  // Interrupted, prompted again, and killed before it answered.
  'sj-interrupt': badly(
    '257fdfbd-69ce-4a3f-90eb-42f60e39ea17',
    failed('lost', 'no result of its last turn, exit 137 (SIGKILL)'),
    CUT_SHORT,
    { exit: 137 },
  ),
  'sj-steer': well('de5da966-6fbe-4273-9126-cddd98ec489d', TWO),
  'sj-two': well(
    'e056f90f-748f-4cad-a5c9-2d10edc7796b',
    { ...TWO, usage: tokens(50, 28200, 28200, 162), costUsd: 0.15008, toolCalls: 2 },
    { results: 2 },
  ),
}
