import type { Check } from '../../doctor/check.ts'
import type { Restoration } from '../../doctor/restore.ts'
import { plainLine } from '../../domain/text/plain.ts'

/** One line per check, and below it the remedy. */
export function checkLines(checks: readonly Check[]): string[] {
  const width = Math.max(...checks.map((check) => check.name.length))
  return checks.flatMap((check) => {
    const line = `${check.state.padEnd(4)}  ${check.name.padEnd(width)}  ${plainLine(check.found)}`
    return check.todo === undefined ? [line] : [line, `${' '.repeat(width + 8)}-> ${plainLine(check.todo)}`]
  })
}

/** The most ids that are named. */
const NAMED = 10

export function restoredLines({ store, backup, at, tasks, missing, aside }: Restoration): string[] {
  const lines = [
    `Restored ${store} from ${backup}: ${tasks} ${tasks === 1 ? 'task' : 'tasks'}.`,
    `The backup was made ${at === undefined ? 'at a time its name does not say' : `at ${at}`}; what changed after it is not in it.`,
  ]
  if (missing.length > 0) {
    const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : ''
    lines.push(`Not in the backup, but with a folder under tasks/: ${missing.slice(0, NAMED).join(', ')}${more}`)
  }
  return [...lines, ...aside.map((path) => `Kept ${path}`)]
}
