import type { CoderEvent } from '../run/event.ts'
import { type Span, withSpan } from './span.ts'

/** When a run had a command open that names a checkout which it is to leave alone. */
export interface Visits {
  /** How a command may spell that checkout; empty: there is none. */
  names: readonly string[]
  readonly calls: Set<string>
  /** A visiting call was open at some moment since the last look. */
  visited: boolean
  spans: readonly Span[]
}

const MOST_CALLS = 1000

export function newVisits(spans: readonly Span[]): Visits {
  return { names: [], calls: new Set(), visited: false, spans }
}

/** `isOld`: an earlier supervisor has read it, and kept when. */
export function visitEvent(visits: Visits, event: CoderEvent, isOld: boolean): void {
  const { calls, names } = visits
  switch (event.type) {
    case 'tool-started': {
      if (event.kind !== 'shell' || !mentions(`${event.command ?? event.detail ?? ''}\n${event.cwd ?? ''}`, names))
        return
      if (calls.size < MOST_CALLS) calls.add(event.id)
      if (!isOld) visits.visited = true
      return
    }
    case 'tool-ended':
      if (calls.delete(event.id) && !isOld) visits.visited = true
      return
    case 'result':
      if (calls.size > 0 && !isOld) visits.visited = true
      calls.clear()
      return
    default:
  }
}

/** After each look at the output. `spansOf`: the time since the last look in which such a call was open. */
export function visitLook(visits: Visits, spansOf: (isOpen: boolean) => readonly Span[]): void {
  const isOpen = visits.calls.size > 0
  if (!visits.visited && !isOpen) return
  for (const span of spansOf(isOpen)) visits.spans = withSpan(visits.spans, span)
  visits.visited = false
}

/** Whether a command names a folder or something in it: `/home/you/shop`, and not `/home/you/shop-2`. */
export function mentions(command: string, names: readonly string[]): boolean {
  return names.some((name) => {
    for (let at = command.indexOf(name); at !== -1; at = command.indexOf(name, at + 1)) {
      if (!PART_OF_NAME.test(command[at - 1] ?? '') && !PART_OF_NAME.test(command[at + name.length] ?? '')) return true
    }
    return false
  })
}

const PART_OF_NAME = /[\p{L}\p{N}_.-]/u
