import { openLedger } from '../../src/app.ts'
import { Home } from '../../src/platform/files/home.ts'
import { homeWorktrees } from '../../src/workspace/worktree/worktrees.ts'
import { ownerOf } from '../../test/support/git-owner.ts'
import { elapsed, now } from '../clock.mjs'

/** Makes worktrees for so many tasks as a supervisor does: chosen, recorded, made, recorded. Prints the seconds. */
async function main(path: string, repository: string, count: number): Promise<void> {
  using ledger = openLedger(new Home(path))
  const worktrees = homeWorktrees(path, { ownerOf })
  const began = now()
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const task = `fleet-b${i}`
      const found = worktrees.find(repository)
      if ('refused' in found) throw new Error(found.refused)
      const chosen = await worktrees.intend({ task, ...found, target: undefined })
      if ('refused' in chosen) throw new Error(chosen.refused)
      const { root, folder } = found
      const where = { task, repository: root, folder, path: worktrees.pathOf(task), madeAt: i, readyAt: null }
      const worktree = { ...where, ...chosen, state: 'making', setUp: null } as const
      ledger.saveWorktree(worktree)
      const problem = await worktrees.make(worktree)
      if (problem !== undefined) throw new Error(JSON.stringify(problem))
      ledger.saveWorktree({ ...worktree, state: 'ready' })
    }),
  )
  console.log(JSON.stringify({ seconds: elapsed(began) / 1000 }))
}

const [home = '', repository = '', count = '0'] = process.argv.slice(2)
void main(home, repository, Number(count))
