import { bounded } from '../../text/bounded.ts'
import { durationText } from '../../text/duration.ts'
import type { Repeats } from './repeats.ts'

/** An agent that goes in circles, and what it did last. */
export interface Loop {
  readonly text: string
  /** Its last calls, oldest first; empty if it made none. */
  readonly sequence: readonly string[]
}

export interface LoopLimits {
  /** How long a run may print nothing but status lines. */
  readonly idle: number
  /** Its events came all at once, so their times say nothing of its pace. */
  readonly unpaced: boolean
  /** Background work is pending, for which it may wait. */
  readonly hasBackground: boolean
}

/** So many calls that bring nothing new are a loop: a flaky command is tried a few times. */
const CALLS = 24
/** Where each call waits, as one that asks a server for a state does, or where files are changed. */
const PATIENT_CALLS = 60
/** While it may wait for background work of its own. */
const BACKGROUND_CALLS = 200
/** The pace of an agent that waits between its calls. */
const WAITING_MS = 10_000
/** Each of them was made so often at least: an agent may read again what it has read long ago. */
const TIMES_EACH = 3
/** Times that the model said what it had said before, with no call in between. */
const TEXTS = 40
const LINES = 100

/** undefined: it goes in no circle. */
export function loopOf(
  { streak, words, open }: Repeats,
  { idle, unpaced, hasBackground }: LoopLimits,
): Loop | undefined {
  const { calls, counts, since = 0, last = 0, edits, sequence } = streak
  const isPatient = unpaced || edits || last - since > calls * WAITING_MS
  const least = hasBackground ? BACKGROUND_CALLS : isPatient ? PATIENT_CALLS : CALLS
  if (calls >= least && calls >= counts.size * TIMES_EACH) {
    const most = [...counts.values()].sort((a, b) => b.times - a.times)
    const told = most.slice(0, TOLD).map(({ label, times }) => `${label} ×${times}`)
    const rest = most.length > TOLD ? [`${most.length - TOLD} more`] : []
    const text = `made ${calls} calls in a row that it had made before, with the same results: ${[...told, ...rest].join(', ')}`
    return { text, sequence: [...sequence] }
  }
  if (words.texts >= TEXTS) {
    return { text: `said the same ${words.texts} times: ${quoted(words.said)}`, sequence: [] }
  }
  const lasted = (words.last ?? 0) - (words.since ?? 0)
  if (open.size === 0 && !hasBackground && words.lines >= LINES && lasted > idle) {
    return {
      text: `printed ${words.lines} status lines in ${durationText(idle)}, and nothing else: ${quoted(words.said)}`,
      sequence: [],
    }
  }
  return undefined
}

/** How many different calls the text names. */
const TOLD = 4

function quoted(text: string): string {
  return JSON.stringify(bounded(text, 100))
}

/** For the next attempt. */
export const LOOP_ADVICE =
  'Do not begin with these calls again. Find out why they brought nothing new, do it another way, or ask with fleet ask.'
