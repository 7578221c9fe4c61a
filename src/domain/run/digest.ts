import type { CoderEvent, ToolKind, Trouble, Usage } from './event.ts'
import type { Figures } from './run.ts'
import { growthSince, isSame, isZero, maximum, minus, plus, promptTokens } from './usage.ts'

/**
 * What a run's events add up to. A function of the stream alone, so that a supervisor that adopts a run folds the file
 * again from its first byte and knows what the one before it knew. Bounded, whatever the stream says.
 */
export interface Digest {
  events: number
  unknown: number
  lastEventAt: number | undefined
  session: string | undefined
  /** The one that answered last; before that, the one the coder says it will ask. */
  model: string | undefined
  /** All that answered, in the order of their first answers. */
  readonly models: Set<string>
  version: string | undefined
  payer: string | undefined
  toolCalls: number
  /** Calls made and not answered yet, oldest first. */
  readonly openTools: Map<string, OpenTool>
  pendingBackground: number
  /** The last that was told of one. `rejected` only as long as no model has answered all the same. */
  limit: Extract<CoderEvent, { type: 'limit' }> | undefined
  /** The last retry the coder made itself, unless something went well since. */
  retrying: Trouble | undefined
  /** The last trouble it told, unless something went well since. */
  trouble: Trouble | undefined
  /** A step has begun, or something was said after a result, and no result was told since. */
  stepOpen: boolean
  result: Extract<CoderEvent, { type: 'result' }> | undefined
  results: number
  denied: number
  readonly deniedCalls: Set<string>
  lastText: string
  window: number | undefined
  contextNow: number | undefined
  contextPeak: number | undefined
  /** Of this run, added up. */
  costUsd: number | undefined
  /** Of its session, with the runs before this one. */
  sessionCostUsd: number | undefined
  /** By message, since the last total: the last record of each, and their sum. Two generations, so that old ones go. */
  messages: Map<string, Usage>
  olderMessages: Map<string, Usage>
  sinceTotal: Usage
  total: Usage | undefined
  /** Of its session so far, with the runs before this one; and of those alone. */
  sessionUsage: Usage | undefined
  earlierUsage: Usage | undefined
}

export interface OpenTool {
  readonly id: string
  readonly name: string
  readonly kind: ToolKind
  readonly detail: string | undefined
  readonly since: number
}

/** Of each collection. No honest run comes near; a hostile one only loses its own figures. */
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
    stepOpen: false,
    result: undefined,
    results: 0,
    denied: 0,
    deniedCalls: new Set(),
    lastText: '',
    window: undefined,
    contextNow: undefined,
    contextPeak: undefined,
    costUsd: undefined,
    sessionCostUsd: undefined,
    messages: new Map(),
    olderMessages: new Map(),
    sinceTotal: {},
    total: undefined,
    sessionUsage: undefined,
    earlierUsage: undefined,
  }
}

/** Changes the digest: it runs for every event of every agent. `at` is when the event was seen, in milliseconds. */
export function fold(digest: Digest, event: CoderEvent, at: number): void {
  digest.events++
  digest.lastEventAt = at
  switch (event.type) {
    case 'session':
      digest.session = event.id
      if (event.step === true) digest.stepOpen = true
      digest.model = event.model ?? digest.model
      digest.version = event.version ?? digest.version
      digest.payer = event.payer ?? digest.payer
      return
    case 'text':
      if (event.subagent === true) return
      digest.lastText = event.text
      if (digest.result !== undefined) digest.stepOpen = true
      return
    case 'tool-started':
      startTool(digest, event, at)
      return
    case 'tool-ended':
      digest.openTools.delete(event.id)
      return
    case 'usage':
      countMessage(digest, event)
      return
    case 'total':
      countTotal(digest, event)
      return
    case 'window':
      // The window that matters is the one of the model at work; another's is only better than none.
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
      // A complaint that names no cause does not hide one that did.
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
      digest.openTools.clear() // the turn is over: what was not answered never will be
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
 * Its last result is not its last word: another turn has begun since, of which no result was told. What a session prints
 * after its last turn (hooks, notices, background work that ended) begins none.
 */
export function continuedAfterResult({ result, stepOpen, openTools }: Digest): boolean {
  return result !== undefined && (stepOpen || openTools.size > 0)
}

function startTool(digest: Digest, event: Extract<CoderEvent, { type: 'tool-started' }>, at: number): void {
  const { openTools } = digest
  if (openTools.has(event.id)) return
  digest.toolCalls++
  if (openTools.size >= COLLECTION_LIMIT) dropFirst(openTools)
  const { id, name, kind, detail } = event
  openTools.set(id, { id, name, kind, detail, since: at })
}

function countMessage(digest: Digest, event: Extract<CoderEvent, { type: 'usage' }>): void {
  if (event.aside !== true) {
    digest.retrying = undefined
    digest.trouble = undefined
    if (digest.limit?.status === 'rejected') digest.limit = { ...digest.limit, status: 'warning' }
  }
  if (event.aside !== true || isZero(digest.total ?? {})) addMessage(digest, event)
  if (event.subagent === true) return
  recordModel(digest, event.model)
  const context = promptTokens(event.usage)
  if (context === undefined) return
  digest.contextNow = context
  digest.contextPeak = Math.max(digest.contextPeak ?? 0, context)
}

/** Most messages are told block by block with the same record: that a record is told again is no news. */
export function isRepeatedUsage({ messages, olderMessages }: Digest, event: CoderEvent): boolean {
  if (event.type !== 'usage') return false
  const before = messages.get(event.message) ?? olderMessages.get(event.message)
  return before !== undefined && isSame(before, event.usage)
}

function addMessage(digest: Digest, event: Extract<CoderEvent, { type: 'usage' }>): void {
  if (isRepeatedUsage(digest, event)) return
  const before = digest.messages.get(event.message) ?? digest.olderMessages.get(event.message)
  if (digest.messages.size >= COLLECTION_LIMIT) {
    digest.olderMessages = digest.messages
    digest.messages = new Map()
  }
  digest.messages.set(event.message, event.usage)
  digest.sinceTotal = plus(before === undefined ? digest.sinceTotal : minus(digest.sinceTotal, before), event.usage)
}

function countTotal(digest: Digest, event: Extract<CoderEvent, { type: 'total' }>): void {
  // The messages that these two cover may be told before or after them: they stay.
  if (event.covers === 'earlier') {
    digest.earlierUsage = event.usage
    return
  }
  if (event.covers === 'session') {
    digest.sessionUsage = event.usage
    digest.sessionCostUsd = event.costUsd ?? digest.sessionCostUsd
    return
  }
  // An interrupted turn tells a total of nothing although its messages were paid for: they stay, as an estimate.
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
}

export interface FiguresContext {
  /** Tokens, where the stream told no window. */
  readonly contextWindow?: number
  /** What the session had cost before this run, where it goes on with one. */
  readonly sessionCostUsd?: number
  /** What the session had used before this run, where no event tells it: nothing, if the session is new. */
  readonly earlierUsage?: Usage
  /** Of the program, where the stream told none. */
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
    // What a step that has not ended will have used is not told yet.
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
  // Whose share of the session is not known: its messages say more than a total with the runs of others.
  if (earlier === undefined) return { usage: isZero(sinceTotal) ? sessionUsage : sinceTotal, estimated: true }
  // Neither says too much: the total may be older than the last message, and messages may still be unread.
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
