import { Bd, probeBd } from './bd.ts'

/** Which bd is used, and how many tasks its database has. Throws what is in the way of either. */
export async function examineBd(where: {
  beads: string
  env: NodeJS.ProcessEnv
}): Promise<{ bd: string; tasks: number }> {
  const { file, version } = await probeBd(where)
  const lines = (await new Bd(where).read(['export', '--all'])).split('\n')
  return { bd: `bd ${version} (${file})`, tasks: lines.filter((line) => line.startsWith('{')).length }
}
