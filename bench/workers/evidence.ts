import { inPlace } from '../../src/workspace/in-place.ts'

/** Looks at what a run changed in a checkout, as a supervisor does at its end; a look of a supervisor is never its first. */
async function main(cwd: string, since: number, work: () => void): Promise<{ ms: number; files: number }> {
  const home = '/nowhere'
  const base = await inPlace.base(cwd, home)
  work()
  const start = process.hrtime.bigint()
  const found = await inPlace.changes(base, { since, artifacts: '/nowhere', home })
  const files = found.files.map(({ path }) => path)
  await inPlace.lines(base, { files, commits: [], artifacts: [] })
  return { ms: Number(process.hrtime.bigint() - start) / 1e6, files: files.length }
}

export { main as lookAtEvidence }
