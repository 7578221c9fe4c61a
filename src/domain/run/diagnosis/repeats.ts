import { bounded } from '../../text/bounded.ts'
import type { CoderEvent } from '../event.ts'

/**
 * The repetitions in a run's events: calls that were made before with the same result, and words that say nothing new. A
 * call is new if its tool, arguments or result are. Bounded for any stream.
 */
export interface Repeats {
  /** Calls without a result yet: their tool and arguments, and how people know them. */
  readonly open: Map<string, { readonly key: string; readonly label: string; readonly edits: boolean }>
  /** Calls with their results so far, the oldest first. */
  readonly seen: Set<string>
  /** Since the last new call. */
  streak: Streak
  /** The last texts of the agent. */
  readonly texts: Set<string>
  /** Words since the last new text or call. */
  words: Words
}

interface Streak {
  calls: number
  /** When the first and the last of them ended. */
  since: number | undefined
  last: number | undefined
  /** How often each was made, and its label. */
  readonly counts: Map<string, { times: number; readonly label: string }>
  /** One of them changed a file. */
  edits: boolean
  /** The last ones, oldest first. */
  readonly sequence: string[]
}

interface Words {
  texts: number
  lines: number
  since: number | undefined
  last: number | undefined
  said: string
}

/** The most entries of each collection. */
const MOST = 1000
const TEXTS = 16
const SEQUENCE = 16
const LABEL = 120

export function noRepeats(): Repeats {
  return { open: new Map(), seen: new Set(), streak: noStreak(), texts: new Set(), words: noWords() }
}

function noStreak(): Streak {
  return { calls: 0, since: undefined, last: undefined, counts: new Map(), edits: false, sequence: [] }
}

function noWords(): Words {
  return { texts: 0, lines: 0, since: undefined, last: undefined, said: '' }
}

/** Mutates for speed, as the digest does. `at` is when the event was read, in milliseconds. */
export function countRepeat(repeats: Repeats, event: CoderEvent, at: number): void {
  switch (event.type) {
    case 'tool-started':
      repeats.words = noWords()
      callBegan(repeats, event)
      return
    case 'tool-ended':
      repeats.words = noWords()
      callEnded(repeats, event, at)
      return
    case 'text':
      if (event.subagent !== true) said(repeats, event.text, at)
      return
    case 'notice':
      if (!PROGRESS.has(event.name)) repeats.words = withLine(repeats.words, event.name, at)
      return
    case 'compacted':
      // It has forgotten what it did, so it may look again.
      repeats.seen.clear()
      repeats.streak = noStreak()
      return
    case 'result':
      repeats.open.clear()
      repeats.words = noWords()
      return
    default:
      return
  }
}

/** Lines by which coders tell that a model or a tool is at work. */
const PROGRESS: ReadonlySet<string> = new Set([
  'reasoning',
  'stream_event',
  'task_progress',
  'thinking_tokens',
  'tool_progress',
])

function callBegan({ open }: Repeats, event: Extract<CoderEvent, { type: 'tool-started' }>): void {
  const { id, name, kind, detail, print, parent = '' } = event
  if (open.has(id)) return
  if (open.size >= MOST) dropFirst(open)
  // Two sub-agents may do the same.
  const key = print === undefined ? '' : `${name} ${parent} ${print}`
  const label = bounded(detail === undefined ? name : `${name} ${JSON.stringify(detail)}`, LABEL)
  open.set(id, { key, label, edits: kind === 'edit' })
}

function callEnded(
  repeats: Repeats,
  { id, failed, print }: Extract<CoderEvent, { type: 'tool-ended' }>,
  at: number,
): void {
  const { open, seen, streak } = repeats
  const call = open.get(id)
  if (call === undefined) return
  open.delete(id)
  const key = call.key === '' || print === undefined ? undefined : `${call.key} ${failed} ${print}`
  if (key === undefined || !seen.has(key)) {
    repeats.streak = noStreak()
    if (key === undefined) return
    if (seen.size >= MOST) dropFirst(seen)
    seen.add(key)
    return
  }
  streak.calls++
  streak.since ??= at
  streak.last = at
  streak.edits ||= call.edits && !failed
  const count = streak.counts.get(key)
  if (count === undefined) streak.counts.set(key, { times: 1, label: call.label })
  else count.times++
  streak.sequence.push(call.label)
  if (streak.sequence.length > SEQUENCE) streak.sequence.shift()
}

function said(repeats: Repeats, text: string, at: number): void {
  const { texts } = repeats
  if (texts.has(text)) {
    const { words } = repeats
    repeats.words = { ...words, texts: words.texts + 1, since: words.since ?? at, last: at, said: text }
    return
  }
  if (texts.size >= TEXTS) dropFirst(texts)
  texts.add(text)
  repeats.words = noWords()
}

function withLine(words: Words, name: string, at: number): Words {
  return { ...words, lines: words.lines + 1, since: words.since ?? at, last: at, said: words.said || name }
}

function dropFirst(of: Map<string, unknown> | Set<string>): void {
  for (const key of of.keys()) {
    of.delete(key)
    return
  }
}
