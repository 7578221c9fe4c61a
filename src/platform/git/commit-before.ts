import type { LookingGit } from './look.ts'
import { textOf } from './work-files.ts'

/**
 * The newest commit of HEAD that is older than a moment, for a repository whose state nobody recorded then. undefined: there
 * was none.
 */
export async function commitBefore(git: LookingGit, ms: number): Promise<string | undefined> {
  const found = await textOf(git, ['rev-list', '-1', `--min-age=${Math.floor(ms / 1000)}`, 'HEAD', '--'])
  return found === undefined || found.trim() === '' ? undefined : found.trim()
}
