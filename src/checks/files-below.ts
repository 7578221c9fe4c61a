import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { walk } from '../platform/files/walk.ts'

const BOUNDS = { maxEntries: 50_000, maxMs: 10_000, skips: (path: string) => /(?:^|\/)\.git$/.test(path) } as const

/** All files of a folder that git does not look into, which has a slash at its end. */
export async function filesBelow(root: string, folder: string): Promise<readonly string[]> {
  const found: string[] = []
  const { stopped } = await walk(join(root, folder), BOUNDS, ({ path }) => {
    if (!BOUNDS.skips(path)) found.push(`${folder}${path}`)
  })
  if (stopped !== undefined) throw new AppError('failed', `${folder} could not be looked through: ${stopped}`)
  return found
}
