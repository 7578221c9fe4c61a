import type { Check } from '../../doctor/check.ts'
import { plainLine } from './plain.ts'

/** One line per check, and below it what to do. */
export function checkLines(checks: readonly Check[]): string[] {
  const width = Math.max(...checks.map((check) => check.name.length))
  return checks.flatMap((check) => {
    const line = `${check.state.padEnd(4)}  ${check.name.padEnd(width)}  ${plainLine(check.found)}`
    return check.todo === undefined ? [line] : [line, `${' '.repeat(width + 8)}-> ${plainLine(check.todo)}`]
  })
}
