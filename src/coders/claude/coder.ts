import { continuedAfterResult, type Digest } from '../../domain/run/digest.ts'
import type { Trouble } from '../../domain/run/event.ts'
import type { Exit } from '../../domain/run/run.ts'
import type { Coder, Launch, Order, Verdict } from '../../ports/coder.ts'
import { failed, lost, toldTrouble } from '../shared/ending.ts'
import { exitWords } from '../shared/exit-words.ts'
import { localZone, resetTime } from '../shared/reset-time.ts'
import { claudeDescriptor } from './descriptor.ts'
import { claudeEvents } from './events.ts'
import { troubleBeforeSession } from './trouble.ts'

const { name, defaultModel, contextWindow } = claudeDescriptor

/** Claude Code, headless. */
export const claude: Coder = {
  name,
  binary: 'claude',
  traits: { claim: 'explicit', evidence: 'work', resume: true, stream: 'json', contextWindow, defaultModel },
  payers: { ANTHROPIC_API_KEY: 'ANTHROPIC_API_KEY' },
  launch,
  parse: claudeEvents,
  verdict,
}

/** A question it asks itself is answered by nobody, and agents of its own are started unseen: tasks are the way to both. */
const TOOLS_OFF = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'Agent', 'Task', 'Workflow']

const PERMISSIONS: Record<Order['permissions'], readonly string[]> = {
  full: ['--dangerously-skip-permissions'],
  workspace: ['--permission-mode=acceptEdits', '--allowedTools=Bash'],
  settings: [],
}

/** The project's own instructions and settings stay; the user's, with their plugins, skills and servers, do not. */
const LEAN = ['--setting-sources=project', '--strict-mcp-config', '--disable-slash-commands']

/** Every value is part of its flag: some flags take several, and would swallow what follows. */
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
    ],
    stdin: 'prompt',
    env: {
      // A lane backs off better than fifty agents that each try ten times.
      CLAUDE_CODE_MAX_RETRIES: '3',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      // Without it the unattended mode refuses to start for root.
      ...(order.isRoot && order.permissions === 'full' ? { IS_SANDBOX: '1' } : {}),
    },
  }
}

/** Its exit code is the last thing to go by: 0 after an interrupt, 143 after a success. */
function verdict(exit: Exit, digest: Digest, stderrTail: string): Verdict {
  if (digest.result?.ok === true && !continuedAfterResult(digest)) {
    return digest.pendingBackground > 0 ? failed(leftBehind(digest, exit)) : { kind: 'finished' }
  }
  // A result that it went on after says nothing of how it ended.
  const told = continuedAfterResult(digest) ? digest.trouble : toldTrouble(digest)
  const trouble = told ?? neverBegan(digest, stderrTail)
  return failed(trouble === undefined ? lost(exit, digest, stderrTail) : refined(trouble, digest))
}

function neverBegan(digest: Digest, stderrTail: string): Trouble | undefined {
  return digest.session === undefined ? troubleBeforeSession(stderrTail) : undefined
}

/** Of a request that was refused, the event of a limit knows better than the words whether it was one, and until when. */
function refined(trouble: Trouble, { limit, lastEventAt }: Digest): Trouble {
  const mayBeLimit = trouble.code === 'usage-limit' || trouble.code === 'overload'
  const rejected = limit?.status === 'rejected' ? limit.resetsAt : undefined
  if (mayBeLimit && rejected !== undefined) return { code: 'usage-limit', text: trouble.text, resetsAt: rejected }
  if (trouble.code !== 'usage-limit') return trouble
  const resetsAt = lastEventAt === undefined ? undefined : resetSaid(trouble.text, lastEventAt)
  return resetsAt === undefined ? trouble : { ...trouble, resetsAt }
}

/** By the clock of this machine where it names no other; once it was `usage limit reached|` and a time in seconds. */
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
