import { inPlace } from '../../src/workspace/in-place.ts'

/**
 * Looks at the changes of a run in a worktree, as a supervisor does at its end: those of the attempt, and those since its
 * branch began. A look of a supervisor is never its first.
 */
async function main(cwd: string, since: number, work: () => void): Promise<{ ms: number; files: number }> {
  const home = '/nowhere'
  const base = await inPlace.base(cwd, home)
  work()
  const start = process.hrtime.bigint()
  const order = { since, artifacts: '/nowhere', home, together: {} }
  const [, found] = await Promise.all([inPlace.changes(base, order), inPlace.changes(base, order)])
  const files = found.files.map(({ path }) => path)
  await inPlace.lines(base, { files, commits: [], artifacts: [] })
  return { ms: Number(process.hrtime.bigint() - start) / 1e6, files: files.length }
}

export { main as lookAtEvidence }
