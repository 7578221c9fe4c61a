import { walk } from '../platform/files/walk.ts'
import { isFinderFile, notBefore, TICK_MS } from './found-changes.ts'

/** Notes for the next attempt, not output. */
const WORKING_FILES = new Set(['PLAN_AND_STATUS.md', 'KNOWLEDGE.md', 'Q&A.md'])
const BOUNDS = { maxEntries: 10_000, maxMs: 1000, skips: () => false }

/** The output that a run put among the artifacts: files that are not empty. */
export async function artifactsSince(folder: string, since: number): Promise<string[]> {
  const fresh = notBefore(since, TICK_MS)
  const found: string[] = []
  await walk(folder, BOUNDS, ({ path, size, ctime }) => {
    if (size > 0 && fresh(ctime) && !WORKING_FILES.has(path) && !isFinderFile(path)) found.push(path)
  })
  return found.sort()
}
