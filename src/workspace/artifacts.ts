import { walk } from '../platform/files/walk.ts'
import { notBefore, TICK_MS } from './found.ts'

/** Kept for the next attempt; they are no output. */
const WORKING_FILES = new Set(['PLAN_AND_STATUS.md', 'KNOWLEDGE.md', 'Q&A.md'])
const BOUNDS = { maxEntries: 10_000, maxMs: 1000, skips: () => false }

/** What a run put among the artifacts as its output: files with something in them. */
export async function artifactsSince(folder: string, since: number): Promise<string[]> {
  const fresh = notBefore(since, TICK_MS)
  const found: string[] = []
  await walk(folder, BOUNDS, ({ path, size, ctime }) => {
    if (size > 0 && fresh(ctime) && !WORKING_FILES.has(path)) found.push(path)
  })
  return found.sort()
}
