import type { CoderEvent } from '../../domain/run/event.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { checkedEvent } from './checked-event.ts'

const RAW = 500
const EVENTS = 1000

/** The events that a function of a user's module makes from a line; an error in the function becomes an event. */
export function checkedEvents(line: string, name: string, make: (line: string) => unknown): readonly CoderEvent[] {
  const unknown = (why: string) => [{ type: 'unknown', raw: bounded(`${name} ${why}: ${line}`, RAW) }] as const
  try {
    const made = make(line)
    if (!Array.isArray(made)) return unknown('gave no list')
    return made.slice(0, EVENTS).flatMap((each) => checkedEvent(each) ?? unknown('gave no event'))
  } catch (error) {
    return unknown(`failed (${messageOf(error)})`)
  }
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
