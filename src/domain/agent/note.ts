import { isObject } from '../task/settings.ts'
import type { TaskLogEvent } from './task-log.ts'

/** A message of an agent to people, read from its task's log. */
export interface Note {
  readonly at: number
  readonly attempt: number | undefined
  readonly text: string
}

const NOTE: TaskLogEvent = 'note'

/** The newest notes among lines of a task's log, oldest first. Truncated lines and other events are skipped. */
export function newestNotes(log: string, most: number): Note[] {
  const notes: Note[] = []
  for (const line of log.split('\n').reverse()) {
    if (notes.length === most) break
    const note = noteOf(line)
    if (note !== undefined) notes.unshift(note)
  }
  return notes
}

function noteOf(line: string): Note | undefined {
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isObject(entry) || entry['event'] !== NOTE) return undefined
  const { ts, attempt, text } = entry
  const at = typeof ts === 'string' ? Date.parse(ts) : Number.NaN
  if (Number.isNaN(at) || typeof text !== 'string') return undefined
  return { at, attempt: typeof attempt === 'number' ? attempt : undefined, text }
}
