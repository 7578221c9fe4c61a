import { continuedAfterResult, type Digest } from '../../domain/run/digest.ts'
import type { Trouble } from '../../domain/run/event.ts'
import type { Exit } from '../../domain/run/run.ts'
import type { Coder, Launch, Order, ReviewerOrder, Verdict } from '../../ports/coder.ts'
import { failed, lost, toldTrouble } from '../shared/ending.ts'
import { exitWords } from '../shared/exit-words.ts'
import { windowOf } from '../shared/model-windows.ts'
import { localZone, resetTime } from '../shared/reset-time.ts'
import { claudeDescriptor } from './descriptor.ts'
import { claudeEvents, claudeOutputs } from './events.ts'
import { hookSettings } from './hooks.ts'
import { subagentFolders, transcriptPlace, transcriptReader } from './transcript.ts'
import { troubleBeforeSession } from './trouble.ts'

const { name, defaultModel, contextWindow } = claudeDescriptor

/** Claude Code, headless. */
export const claude: Coder = {
  name,
  binary: 'claude',
  notes: ['~/.claude/plans'],
  settingsFiles: [
    '~/.claude/settings.json',
    '~/.claude/settings.local.json',
    '~/.claude.json',
    '.claude/settings.json',
    '.claude/settings.local.json',
  ],
  traits: {
    claim: 'explicit',
    evidence: 'work',
    resume: true,
    hooks: true,
    stream: 'json',
    contextWindow,
    defaultModel,
  },
  payers: { ANTHROPIC_API_KEY: 'ANTHROPIC_API_KEY' },
  windowOf,
  launch,
  launchReviewer,
  parse: claudeEvents,
  outputs: claudeOutputs,
  subagents: { startedBy: ['Agent', 'Task'], calls: 'told' },
  verdict,
  sidecar: { place: transcriptPlace, reader: transcriptReader, subagents: subagentFolders },
}

/** Unattended, no person answers a question, and fleet cannot see sub-agents: fleet has questions and tasks instead. */
const TOOLS_OFF = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'Agent', 'Task', 'Workflow']

const PERMISSIONS: Record<Order['permissions'], readonly string[]> = {
  full: ['--dangerously-skip-permissions'],
  workspace: ['--permission-mode=acceptEdits', '--allowedTools=Bash'],
  settings: [],
}

/** Keeps the project's instructions and settings; drops the user's, with their plugins, skills and servers. */
const LEAN = ['--setting-sources=project', '--strict-mcp-config', '--disable-slash-commands']

const ENV = {
  // One lane that backs off is better than fifty agents that each try ten times.
  CLAUDE_CODE_MAX_RETRIES: '3',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
}

/** Every value is part of its flag: some flags take several values, and would swallow the next argument. */
function launch(order: Order): Launch {
  const model = order.model ?? defaultModel
  return {
    args: [
      '-p',
      '--output-format=stream-json',
      '--verbose',
      ...(model === undefined ? [] : [`--model=${model}`]),
      order.session === undefined ? `--session-id=${order.newSession}` : `--resume=${order.session}`,
      ...PERMISSIONS[order.permissions],
      `--disallowedTools=${TOOLS_OFF.join(',')}`,
      ...(order.lean ? LEAN : []),
      ...(order.hooks === undefined ? [] : [hookSettings(order.hooks)]),
    ],
    stdin: 'prompt',
    env: {
      ...ENV,
      // Without it the unattended mode refuses to start for root.
      ...(order.isRoot && order.permissions === 'full' ? { IS_SANDBOX: '1' } : {}),
    },
  }
}

/** The tools with which it could change anything, or send anything anywhere. */
const CHANGING = ['Bash', 'Edit', 'MultiEdit', 'NotebookEdit', 'Write', 'WebFetch', 'WebSearch', 'KillShell']

/** Reads, and is denied everything else without a question. */
function launchReviewer({ model = defaultModel }: ReviewerOrder): Pick<Launch, 'args' | 'env'> {
  return {
    args: [
      '-p',
      '--output-format=stream-json',
      '--verbose',
      ...(model === undefined ? [] : [`--model=${model}`]),
      '--permission-mode=dontAsk',
      '--allowedTools=Read,Grep,Glob',
      `--disallowedTools=${[...TOOLS_OFF, ...CHANGING].join(',')}`,
      '--setting-sources=user',
      '--strict-mcp-config',
    ],
    env: ENV,
  }
}

/** The exit code is the weakest evidence: 0 after an interrupt, 143 after a success. */
function verdict(exit: Exit, digest: Digest, stderrTail: string): Verdict {
  if (digest.result?.ok === true && !continuedAfterResult(digest)) {
    return digest.pendingBackground > 0 ? failed(leftBehind(digest, exit)) : { kind: 'finished' }
  }
  // If it continued after a result, that result does not describe the end.
  const told = continuedAfterResult(digest) ? digest.trouble : toldTrouble(digest)
  const trouble = told ?? neverBegan(digest, stderrTail)
  return failed(trouble === undefined ? lost(exit, digest, stderrTail) : refined(trouble, digest))
}

function neverBegan(digest: Digest, stderrTail: string): Trouble | undefined {
  return digest.session === undefined ? troubleBeforeSession(stderrTail) : undefined
}

/** The rate-limit event is better evidence than the words that a request hit a limit, and when the limit lifts. */
function refined(trouble: Trouble, { limit, lastEventAt }: Digest): Trouble {
  const mayBeLimit = trouble.code === 'usage-limit' || trouble.code === 'overload'
  const rejected = limit?.status === 'rejected' ? limit.resetsAt : undefined
  if (mayBeLimit && rejected !== undefined) return { code: 'usage-limit', text: trouble.text, resetsAt: rejected }
  if (trouble.code !== 'usage-limit') return trouble
  const resetsAt = lastEventAt === undefined ? undefined : resetSaid(trouble.text, lastEventAt)
  return resetsAt === undefined ? trouble : { ...trouble, resetsAt }
}

/** In the time zone of this machine unless the text names another. Old versions print `usage limit reached|<seconds>`. */
function resetSaid(text: string, seenAt: number): number | undefined {
  const [, seconds] = /\|(\d{10})$/.exec(text) ?? []
  return seconds === undefined ? resetTime(text, seenAt, localZone()) : Number(seconds) * 1000
}

function leftBehind({ pendingBackground }: Digest, exit: Exit): { code: 'lost'; text: string } {
  const pieces = pendingBackground === 1 ? '1 piece' : `${pendingBackground} pieces`
  return {
    code: 'lost',
    text: `it told a result and ended with ${pieces} of background work still going (${exitWords(exit)})`,
  }
}
