import { join } from 'node:path'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import type { Checkout } from '../../platform/git/checkout.ts'
import type { Execution } from '../../platform/process/exec.ts'
import { outputOf } from '../git.ts'

/** The commit of a branch; undefined: there is none. Mostly it stands in a file of its own, which is quicker than git. */
export async function tipOf(
  git: (argv: readonly string[]) => Promise<Execution>,
  { commonFolder }: Checkout,
  branch: string,
): Promise<string | undefined> {
  const loose = beginningOf(join(commonFolder, 'refs/heads', branch), 100)?.trim()
  if (loose !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(loose)) return loose
  const run = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}^{commit}`])
  return outputOf(run)?.trim()
}
