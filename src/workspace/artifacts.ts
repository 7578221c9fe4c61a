import { join } from 'node:path'
import { isNotes } from '../domain/evidence/weak-change.ts'
import { textIn } from '../platform/files/text-in.ts'
import { walk } from '../platform/files/walk.ts'
import { isFinderFile, notBefore, TICK_MS } from './found-changes.ts'

/** Notes for the next attempt, not output. */
export const WORKING_FILES = ['PLAN_AND_STATUS.md', 'KNOWLEDGE.md', 'Q&A.md']
const BOUNDS = { maxEntries: 10_000, maxMs: 60_000, skips: () => false }

/** One character answers nothing. */
const LEAST = 2
const READ = 64 << 20

/** The output that a run put among the artifacts: neither notes for itself, nor files without text. */
export async function artifactsSince(folder: string, since: number): Promise<string[]> {
  const fresh = notBefore(since, TICK_MS)
  const found: string[] = []
  await walk(folder, BOUNDS, ({ path, size, ctime }) => {
    if (size >= LEAST && fresh(ctime) && !isWorkingFile(path) && !isFinderFile(path) && hasText(join(folder, path)))
      found.push(path)
  })
  return found.sort()
}

/** Deeper ones belong to the output. */
function isWorkingFile(path: string): boolean {
  return !path.includes('/') && (WORKING_FILES.includes(path) || isNotes(path))
}

function hasText(path: string): boolean {
  return textIn(path, { least: LEAST, most: READ })?.hasText !== false
}
