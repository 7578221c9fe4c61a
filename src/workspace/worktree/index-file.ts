import { join } from 'node:path'
import { copyIndex, move } from '../../platform/files/folder.ts'
import type { Checkout } from '../../platform/git/checkout.ts'
import { writingIn } from '../../platform/git/write.ts'
import type { Execution } from '../../platform/process/exec.ts'
import type { Refused } from '../../ports/worktrees.ts'
import { outputOf, whyFailed } from '../git.ts'
import { throwIfFull } from './full-disk.ts'

const READ_MS = 10 * 60_000

/** Makes the index of a worktree from its HEAD. The files stay as they are. */
export async function rebuildIndex(own: Checkout): Promise<Refused | undefined> {
  return await writingIn({ checkout: own }, async ({ git, index }) => {
    const ran = await git(['read-tree', 'HEAD'], { timeoutMs: READ_MS })
    if (outputOf(ran) === undefined) return refusedBy(ran, own.root)
    replaceIndex(own, index)
    return undefined
  })
}

/** Not through a link that an agent may have put there. */
export function replaceIndex({ gitFolder }: Checkout, made: string): void {
  const index = join(gitFolder, 'index')
  copyIndex(made, `${index}.fleet`)
  move(`${index}.fleet`, index)
}

export function refusedBy(ran: Execution, folder: string): Refused {
  throwIfFull(ran, folder)
  return { refused: `its files could not be checked out (${whyFailed(ran)}): fix that, then fleet retry` }
}
