import { elapsed } from '../../text/moment.ts'
import type { OpenTool } from '../digest.ts'
import { CAUSES, type Stall, type StallCause } from './cause.ts'
import { cpuShare, isSeen, type Looks, tellingProcess, WORKING_SHARE } from './look.ts'

/** All that is known of a silent run. Times are durations in milliseconds. */
export interface SilenceFacts {
  /** It has told an event. */
  readonly begun: boolean
  /** Since it last printed anything. */
  readonly silentMs: number
  /** Since the last sign of life on any channel, and how long that may be. */
  readonly quietMs: number
  readonly limitMs: number
  /** Oldest first, with how long each has been open. */
  readonly tools: readonly (Pick<OpenTool, 'name' | 'kind' | 'detail'> & { readonly openMs: number })[]
  /** Looks at its processes during this silence; undefined: none yet. */
  readonly looks: Looks | undefined
  /** Since its own transcript, or that of a sub-agent, grew; undefined: it has none. */
  readonly transcriptMs: number | undefined
  /** A limit that the provider has told and not lifted. */
  readonly limit: string | undefined
  /** Another trouble after which the coder tried again. */
  readonly retrying: string | undefined
  /** The model has been asked, and nothing of its answer has come. */
  readonly unanswered: boolean
}

export type Verdict = 'working' | 'suspicious' | 'stalled'

/** A silence in words. */
export interface Silence {
  readonly verdict: Verdict
  /** `Bash "npm test" open 6m02s, node (pid 812) using 98 % of a core: working` */
  readonly text: string
}

export interface Diagnosis extends Silence {
  /** Only of a stall. */
  readonly stall?: Stall
}

/** Whether a silent run works, and if it does not, why. A stall needs two channels that agree: its output, and its processes or files. */
export function diagnose(facts: SilenceFacts): Diagnosis {
  const evidence = evidenceOf(facts)
  const told = (words: string): string => `${evidence.join(', ')}: ${words}`
  if (worksByProcesses(facts) || worksByTranscript(facts)) return { verdict: 'working', text: told('working') }
  if (facts.quietMs <= facts.limitMs || facts.looks === undefined || !isSeen(facts.looks)) {
    // A call may take its time.
    const isCalm = facts.tools.length > 0 && facts.quietMs <= facts.limitMs / 2
    const verdict = isCalm ? 'working' : 'suspicious'
    return { verdict, text: told(verdict) }
  }
  const cause = causeOf(facts)
  return { verdict: 'stalled', stall: { cause, evidence }, text: told(CAUSES[cause].words) }
}

function worksByProcesses({ looks }: SilenceFacts): boolean {
  return looks !== undefined && (cpuShare(looks) ?? 0) > WORKING_SHARE
}

function worksByTranscript({ transcriptMs, limitMs, silentMs }: SilenceFacts): boolean {
  return transcriptMs !== undefined && transcriptMs < silentMs && transcriptMs <= limitMs / 2
}

/** Tools by which coders ask a person. */
const ASKS = /^(?:AskUserQuestion|ExitPlanMode|ask_user|request_user_input|plan_exit)$/i

function causeOf({ begun, tools, looks, limit, unanswered }: SilenceFacts): StallCause {
  const latest = looks?.latest
  if (limit !== undefined) return 'quota'
  if (!begun) return 'never-started'
  const runsCommand = tools.length > 0 || (latest?.tools ?? 0) > 0
  // A server that the agent keeps reads its stdin all day.
  if ((runsCommand && latest?.waits !== undefined) || tools.some(({ name }) => ASKS.test(name))) return 'gate'
  if (runsCommand) return 'hung-tool'
  if (latest?.connections === 0) return 'dead-stream'
  return unanswered ? 'first-token' : 'dead-stream'
}

function evidenceOf(facts: SilenceFacts): string[] {
  const { begun, looks, limit, retrying, transcriptMs, silentMs } = facts
  const latest = looks?.latest
  return [
    begun ? toolsText(facts) : 'no event yet',
    ...(looks === undefined ? [] : [processText(looks)]),
    ...(latest?.waits === undefined
      ? []
      : [`${latest.waits.name} (pid ${latest.waits.pid}) ${WAITS[latest.waits.on]}`]),
    ...(latest?.connections === undefined || facts.tools.length > 0 ? [] : [connectionsText(latest.connections)]),
    ...(transcriptMs === undefined || transcriptMs >= silentMs
      ? []
      : [`its transcript grew ${elapsed(transcriptMs)} ago`]),
    ...[limit, retrying].filter((each) => each !== undefined),
  ]
}

const WAITS = { stdin: 'reads its stdin', terminal: 'reads a terminal' } as const

function toolsText({ tools }: SilenceFacts): string {
  const [first] = tools
  if (first === undefined) return 'no tool open'
  const { name, detail, openMs } = first
  const call = detail === undefined ? name : `${name} ${JSON.stringify(detail)}`
  const more = tools.length === 1 ? '' : ` and ${tools.length - 1} more`
  return `${call} open ${elapsed(openMs)}${more}`
}

function processText(looks: Looks): string {
  const process = tellingProcess(looks)
  if (process === undefined) return 'none of its processes is seen'
  const { name, pid, share } = process
  return share === undefined
    ? `${name} (pid ${pid}) runs`
    : `${name} (pid ${pid}) using ${Math.round(share * 100)} % of a core`
}

function connectionsText(count: number): string {
  return count === 0 ? 'no connection open' : `${count} ${count === 1 ? 'connection' : 'connections'} open`
}
