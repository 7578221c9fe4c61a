import { type Denial, ruleOf } from './denial.ts'
import { countRepeat, noRepeats, type Repeats } from './diagnosis/repeats.ts'
import type { CoderEvent, ToolKind, Trouble, Usage } from './event.ts'
import type { Figures } from './run.ts'
import { growthSince, isSame, isZero, maximum, minus, plus, promptTokens } from './usage.ts'
import { callEnded, callStarted, noWork, subagentCounted, type Work } from './work.ts'

/**
 * The state derived from a run's events. It depends on the stream alone: a supervisor that adopts a run folds the file again
 * from byte 0 and knows what its predecessor knew. Its memory is bounded for any stream.
 */
export interface Digest {
  events: number
  unknown: number
  lastEventAt: number | undefined
  session: string | undefined
  /** The model that answered last; before the first answer, the model the coder announced. */
  model: string | undefined
  /** All models that answered, in the order of their first answers. */
  readonly models: Set<string>
  version: string | undefined
  payer: string | undefined
  toolCalls: number
  /** Calls without an answer yet, oldest first. */
  readonly openTools: Map<string, OpenTool>
  pendingBackground: number
  /** The last report of a limit. A later answer of the model turns `rejected` into `warning`. */
  limit: Extract<CoderEvent, { type: 'limit' }> | undefined
  /** The coder's last retry, until the model answers again. */
  retrying: Trouble | undefined
  /** The last reported trouble, until the model answers again. */
  trouble: Trouble | undefined
  /** The model has been asked, by a step or the output of a tool, and no text or call of its answer has come. */
  unanswered: boolean
  /** A step began, or text followed a result, and no result has come since. */
  stepOpen: boolean
  result: Extract<CoderEvent, { type: 'result' }> | undefined
  results: number
  denied: number
  readonly deniedCalls: Set<string>
  /** The first of them, for people. */
  readonly denials: Denial[]
  lastText: string
  window: number | undefined
  contextNow: number | undefined
  contextPeak: number | undefined
  /** The cost of this run. */
  costUsd: number | undefined
  /** The cost of the session, including earlier runs. */
  sessionCostUsd: number | undefined
  /**
   * Since the last total: the last report of each message, and their sum (`sinceTotal`). Messages are kept in two
   * generations, so that the oldest can be dropped.
   */
  messages: Map<string, Usage>
  olderMessages: Map<string, Usage>
  /** The usage of messages from a sidecar, which may say more than stdout does. */
  readonly asides: Map<string, Usage>
  sinceTotal: Usage
  total: Usage | undefined
  /** The usage of the session including earlier runs, and of those earlier runs alone. */
  sessionUsage: Usage | undefined
  earlierUsage: Usage | undefined
  readonly work: Work
  readonly repeats: Repeats
}

export interface OpenTool {
  readonly id: string
  readonly name: string
  readonly kind: ToolKind
  readonly detail: string | undefined
  readonly since: number
}

/** The most entries of each collection. No honest run comes near; a hostile one only spoils its own figures. */
export const COLLECTION_LIMIT = 1000

export function emptyDigest(): Digest {
  return {
    events: 0,
    unknown: 0,
    lastEventAt: undefined,
    session: undefined,
    model: undefined,
    models: new Set(),
    version: undefined,
    payer: undefined,
    toolCalls: 0,
    openTools: new Map(),
    pendingBackground: 0,
    limit: undefined,
    retrying: undefined,
    trouble: undefined,
    unanswered: true,
    stepOpen: false,
    result: undefined,
    results: 0,
    denied: 0,
    deniedCalls: new Set(),
    denials: [],
    lastText: '',
    window: undefined,
    contextNow: undefined,
    contextPeak: undefined,
    costUsd: undefined,
    sessionCostUsd: undefined,
    messages: new Map(),
    olderMessages: new Map(),
    asides: new Map(),
    sinceTotal: {},
    total: undefined,
    sessionUsage: undefined,
    earlierUsage: undefined,
    work: noWork(),
    repeats: noRepeats(),
  }
}

/** Mutates the digest for speed: it runs for every event of every agent. `at` is when the event was read, in milliseconds. */
export function fold(digest: Digest, event: CoderEvent, at: number): void {
  digest.events++
  digest.lastEventAt = at
  countRepeat(digest.repeats, event, at)
  switch (event.type) {
    case 'session':
      digest.session = event.id
      if (event.step === true) beginStep(digest)
      digest.unanswered = true
      digest.model = event.model ?? digest.model
      digest.version = event.version ?? digest.version
      digest.payer = event.payer ?? digest.payer
      return
    case 'text':
      digest.unanswered = false
      if (event.subagent === true) return
      digest.lastText = event.text
      if (digest.result !== undefined) digest.stepOpen = true
      return
    case 'tool-started':
      digest.unanswered = false
      startTool(digest, event, at)
      callStarted(digest.work, event)
      return
    case 'tool-ended':
      digest.openTools.delete(event.id)
      digest.unanswered = digest.openTools.size === 0
      callEnded(digest.work, event)
      return
    case 'subagent':
      subagentCounted(digest.work, event)
      return
    case 'usage':
      countMessage(digest, event)
      return
    case 'total':
      countTotal(digest, event)
      return
    case 'window':
      // The current model's window counts; another model's window is only better than none.
      if (digest.window === undefined || event.model === undefined || event.model === digest.model) {
        digest.window = event.tokens
      }
      return
    case 'limit':
      digest.limit = event
      return
    case 'retrying':
      digest.retrying = event.why
      return
    case 'trouble':
      // A trouble without a known cause does not replace one with a known cause.
      if (event.trouble.code !== 'error' || (digest.trouble?.code ?? 'error') === 'error')
        digest.trouble = event.trouble
      return
    case 'background':
      digest.pendingBackground = event.pending
      return
    case 'denied':
      countDenial(digest, event)
      return
    case 'result':
      digest.result = event
      digest.results++
      digest.stepOpen = false
      digest.openTools.clear() // the turn is over: open calls will never be answered
      return
    case 'unknown':
      digest.unknown++
      return
    case 'compacted':
    case 'notice':
      return
  }
}

/**
 * Whether a new turn began after the last result, without a result so far. Output after the last turn (hooks, notices,
 * finished background work) does not begin a turn.
 */
export function continuedAfterResult({ result, stepOpen, openTools }: Digest): boolean {
  return result !== undefined && (stepOpen || openTools.size > 0)
}

/** It goes on after an interrupt. */
function beginStep(digest: Digest): void {
  digest.stepOpen = true
  if (digest.trouble?.code === 'interrupted') digest.trouble = undefined
}

/** Whether the event shows that a model has answered. */
export function isAnswer(event: CoderEvent): boolean {
  if (event.type === 'usage') return event.aside !== true
  return event.type === 'tool-started' || (event.type === 'result' && event.ok)
}

function startTool(digest: Digest, event: Extract<CoderEvent, { type: 'tool-started' }>, at: number): void {
  const { openTools } = digest
  if (openTools.has(event.id)) return
  // A word to fleet is a claim or a question, not work.
  if (event.toFleet !== true) digest.toolCalls++
  if (openTools.size >= COLLECTION_LIMIT) dropFirst(openTools)
  const { id, name, kind, detail } = event
  openTools.set(id, { id, name, kind, detail, since: at })
}

function countMessage(digest: Digest, event: Extract<CoderEvent, { type: 'usage' }>): void {
  // Further reports of a message are no new answer: some arrive after the turn was cut short.
  const isNew = !digest.messages.has(event.message) && !digest.olderMessages.has(event.message)
  if (event.aside !== true && isNew) {
    digest.retrying = undefined
    digest.trouble = undefined
    if (digest.limit?.status === 'rejected') digest.limit = { ...digest.limit, status: 'warning' }
  }
  if (event.aside === true) keepAside(digest, event)
  // A message that is known was reported since the last total.
  if (event.aside !== true || !isNew || isZero(digest.total ?? {})) addMessage(digest, event)
  if (event.subagent === true) return
  recordModel(digest, event.model)
  const context = promptTokens(event.usage)
  if (context === undefined) return
  digest.contextNow = context
  digest.contextPeak = Math.max(digest.contextPeak ?? 0, context)
}

function keepAside({ asides }: Digest, { message, usage }: Extract<CoderEvent, { type: 'usage' }>): void {
  if (asides.size >= COLLECTION_LIMIT) asides.clear()
  asides.set(message, usage)
}

/** Coders report most messages block by block, each time with the same usage; a repeated report is not news. */
export function isRepeatedUsage(digest: Digest, event: CoderEvent): boolean {
  if (event.type !== 'usage') return false
  const before = digest.messages.get(event.message) ?? digest.olderMessages.get(event.message)
  return before !== undefined && isSame(before, usageOfMessage(digest, event))
}

/** By the sidecar where that counts more: stdout reports some messages before their output is complete. */
function usageOfMessage({ asides }: Digest, { message, usage }: Extract<CoderEvent, { type: 'usage' }>): Usage {
  const aside = asides.get(message)
  return aside === undefined ? usage : maximum(usage, aside)
}

function addMessage(digest: Digest, event: Extract<CoderEvent, { type: 'usage' }>): void {
  if (isRepeatedUsage(digest, event)) return
  const before = digest.messages.get(event.message) ?? digest.olderMessages.get(event.message)
  if (digest.messages.size >= COLLECTION_LIMIT) {
    digest.olderMessages = digest.messages
    digest.messages = new Map()
  }
  const usage = usageOfMessage(digest, event)
  digest.messages.set(event.message, usage)
  digest.sinceTotal = plus(before === undefined ? digest.sinceTotal : minus(digest.sinceTotal, before), usage)
}

function countTotal(digest: Digest, event: Extract<CoderEvent, { type: 'total' }>): void {
  // The messages that these two totals cover may arrive before or after them, so they are kept.
  if (event.covers === 'earlier') {
    digest.earlierUsage = event.usage
    return
  }
  if (event.covers === 'session') {
    digest.sessionUsage = event.usage
    digest.sessionCostUsd = event.costUsd ?? digest.sessionCostUsd
    return
  }
  // An interrupted turn reports a total of zero although its messages cost tokens: keep the messages as an estimate.
  if (isZero(event.usage) && !isZero(digest.sinceTotal)) return
  if (event.costUsd !== undefined) {
    if (event.costCovers === 'session') digest.sessionCostUsd = event.costUsd
    else digest.costUsd = event.covers === 'run' ? event.costUsd : (digest.costUsd ?? 0) + event.costUsd
  }
  digest.total = event.covers === 'run' ? event.usage : plus(digest.total ?? {}, event.usage)
  recordModel(digest, event.model)
  digest.messages.clear()
  digest.olderMessages.clear()
  digest.sinceTotal = {}
}

function recordModel(digest: Digest, model: string | undefined): void {
  if (model === undefined) return
  digest.model = model
  if (digest.models.size < COLLECTION_LIMIT) digest.models.add(model)
}

function countDenial(digest: Digest, event: Extract<CoderEvent, { type: 'denied' }>): void {
  if (event.id !== undefined) {
    if (digest.deniedCalls.has(event.id)) return
    if (digest.deniedCalls.size < COLLECTION_LIMIT) digest.deniedCalls.add(event.id)
  }
  digest.denied++
  if (digest.denials.length < DENIALS) digest.denials.push(denialOf(digest, event))
}

const DENIALS = 10

/** Some reports leave out the tool or the call; the open call has both. */
function denialOf({ openTools }: Digest, { tool, id, text }: Extract<CoderEvent, { type: 'denied' }>): Denial {
  const open = openTools.get(id ?? '')
  return {
    tool: tool === 'unknown' ? (open?.name ?? tool) : tool,
    ...(open?.detail === undefined ? {} : { call: open.detail }),
    ...(text === undefined ? {} : { rule: ruleOf(text) }),
  }
}

export interface FiguresContext {
  /** In tokens, if the stream reports no window. */
  readonly contextWindow?: number
  /** The cost of the session before this run, if the run resumes one. */
  readonly sessionCostUsd?: number
  /** The usage of the session before this run, if no event reports it. Zero for a new session. */
  readonly earlierUsage?: Usage
  /** The program's version, if the stream reports none. */
  readonly version?: string
}

export function figuresOf(digest: Digest, known: FiguresContext = {}): Figures {
  const [openTool] = digest.openTools.values()
  const counted = usageOf(digest, known.earlierUsage)
  return {
    session: digest.session ?? null,
    servedModel: digest.model ?? null,
    coderVersion: digest.version ?? known.version ?? null,
    ...counted,
    costUsd: costOf(digest, known.sessionCostUsd ?? 0),
    contextPeak: digest.contextPeak ?? null,
    contextNow: digest.contextNow ?? null,
    contextWindow: digest.window ?? known.contextWindow ?? null,
    events: digest.events,
    toolCalls: digest.toolCalls,
    lastEventAt: digest.lastEventAt ?? null,
    openTool: openTool === undefined ? null : toolLine(openTool),
    // Only a look at the machine shows it.
    silence: null,
    // The usage of an open step is not reported yet.
    estimated: counted.estimated || digest.stepOpen,
  }
}

function usageOf(digest: Digest, earlierUsage: Usage | undefined): Pick<Figures, 'usage' | 'estimated'> {
  const { total, sinceTotal, sessionUsage } = digest
  if (sessionUsage === undefined) {
    const usage = total === undefined ? sinceTotal : plus(total, sinceTotal)
    return { usage, estimated: total === undefined || !isZero(sinceTotal) }
  }
  const earlier = digest.earlierUsage ?? earlierUsage
  // This run's share of the session is unknown: its own messages are a better estimate than a total with other runs.
  if (earlier === undefined) return { usage: isZero(sinceTotal) ? sessionUsage : sinceTotal, estimated: true }
  // Neither figure is too high: the total may be older than the last message, and some messages may be unread.
  const run = growthSince(sessionUsage, earlier)
  const usage = maximum(run, sinceTotal)
  return { usage, estimated: !isSame(usage, run) }
}

function toolLine({ name, detail }: OpenTool): string {
  return detail === undefined ? name : `${name}: ${detail}`
}

function costOf({ costUsd, sessionCostUsd }: Digest, before: number): number | null {
  if (costUsd !== undefined) return costUsd
  return sessionCostUsd === undefined ? null : Math.max(0, sessionCostUsd - before)
}

function dropFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
