import type { CoderEvent } from '../../src/domain/run/event.ts'

/** Events without the fingerprints of arguments and results; test/coders/prints.test.ts is about these. */
export function unprinted(events: readonly CoderEvent[]): readonly CoderEvent[] {
  return events.map((event) => {
    if (event.type !== 'tool-started' && event.type !== 'tool-ended') return event
    const { print: _, ...rest } = event
    return rest
  })
}
