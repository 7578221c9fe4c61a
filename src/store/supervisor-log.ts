import type { Log } from '../domain/fleet/log-event.ts'
import { mapStrings } from '../domain/text/redact.ts'
import type { Home } from '../platform/files/home.ts'
import { openJournal } from '../platform/files/journal.ts'
import { bestEffort } from '../platform/runtime/best-effort.ts'

export interface SupervisorLogOptions {
  redact(text: string): string
  /** Gets every line besides the journal. */
  readonly tell?: Log | undefined
}

/** The log of this home's supervisor: redacted, into its journal and to the terminal. */
export function supervisorLog(home: Home, { redact, tell = () => {} }: SupervisorLogOptions): Log {
  const journal = openJournal(home.logging)
  const print = bestEffort(tell, (why) => journal('output-failed', { why }))
  return (event, ...fields) => {
    const clean = mapStrings(fields, redact)
    journal(event, ...clean)
    print(event, ...clean)
  }
}
