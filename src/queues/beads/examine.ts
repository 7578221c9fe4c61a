import { recordOf } from '../../domain/task/interchange.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import { Bd, probeBd } from './bd.ts'

/** Which bd is used, how many tasks its database has, and why fleet cannot read some. Throws if bd is unusable. */
export async function examineBd(where: {
  beads: string
  env: NodeJS.ProcessEnv
}): Promise<{ bd: string; tasks: number; unread: readonly string[] }> {
  const { file, version } = await probeBd(where)
  const lines = (await new Bd(where).read(['export', '--all'])).split('\n').filter((line) => line.startsWith('{'))
  const unread = lines.flatMap((line) => {
    const read = recordOf(line, rfc3339(0))
    return read.kind === 'wrong' ? [read.why] : []
  })
  return { bd: `bd ${version} (${file})`, tasks: lines.length, unread }
}
