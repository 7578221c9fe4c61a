import { join } from 'node:path'
import { readText } from '../platform/files/files.ts'
import { namesIn } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'

/** The path of the supervisor's newest log. Its name has the date, so the greatest name is the newest. */
export function newestLog(home: Home): string | undefined {
  const name = namesIn(home.logging)
    .filter((each) => /^fleet-\d{4}-\d\d-\d\d\.jsonl$/.test(each))
    .sort()
    .at(-1)
  return name === undefined ? undefined : join(home.logging, name)
}

/** A day of a large fleet. */
const LOG_LIMIT = 256 << 20

/** The lines of a log as documents, all or the last few. A line that a crash cut short is its text. */
export function logDocuments(path: string, last?: number): readonly unknown[] {
  const lines = (readText(path, { limit: LOG_LIMIT }) ?? '').split('\n').filter((line) => line !== '')
  return lines.slice(last === undefined ? 0 : -last).map(documentOf)
}

function documentOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}
