import { join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { wayDown } from '../../platform/files/same-folder.ts'
import { stampOf } from '../../platform/files/walk.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { type LookingGit, looking } from '../../platform/git/look.ts'
import type { Primary, Touched, TouchedOrder } from '../../ports/worktrees.ts'
import { notBefore, TICK_MS } from '../found-changes.ts'
import { outputOf } from '../git.ts'
import { spelled } from '../spelled.ts'
import { commitOf } from './branch.ts'
import { headMoves, loggedBytes } from './head-moves.ts'
import { HEAD_BYTES } from './link.ts'

const MOST_COMMITS = 200

/** Before a run: what its primary checkout has checked out, and where the branch is that its work is for. */
export async function primaryOf({ repository, target }: Worktree): Promise<Primary | undefined> {
  const checkout = checkoutIn(repository)
  if (checkout === undefined) return undefined
  const head = beginningOf(join(checkout.gitFolder, 'HEAD'), HEAD_BYTES)?.trim() ?? ''
  return await looking(checkout, process.env, async (git) => {
    const [at, tip] = await Promise.all([
      commitOf(git, 'HEAD'),
      target === null ? undefined : commitOf(git, `refs/heads/${target}`),
    ])
    return { head, at: at ?? null, tip: tip ?? null, logged: loggedBytes(checkout) }
  })
}

/** Without links, as the task has it, and below the user's home. */
export function namesOfPrimary({ repository, folder }: Worktree, project: string): readonly string[] {
  const given = folder !== '' && project.endsWith(`/${folder}`) ? project.slice(0, -folder.length - 1) : project
  const user = process.env['HOME'] ?? ''
  const short = [repository, given].flatMap((path) => {
    const way = user === '' ? '' : (wayDown(user, path) ?? '')
    return way === '' ? [] : ['~', '$HOME', `\${HOME}`].map((home) => `${home}/${way}`)
  })
  return [...new Set([repository, given, ...short])]
}

/**
 * The changes of a run in its primary checkout: files that its tools name and that changed since, and branches that got commits
 * of its own. What was done to its HEAD meanwhile is told whoever did it.
 */
export async function touchedBy(worktree: Worktree, home: string, order: TouchedOrder): Promise<Touched> {
  const { repository, target } = worktree
  const files = namedFiles(worktree, home, order)
  const checkout = checkoutIn(repository)
  const { before, own } = order
  const now = await primaryOf(worktree)
  const { from, to } = own
  if (checkout === undefined || now === undefined || before === undefined) return { files, branches: [], moves: [] }
  const moves = headMoves(checkout, { before, now, since: order.since })
  if (to === null || to === from) return { files, branches: [], moves }
  const branches = await looking(checkout, process.env, async (git) => {
    const mine = new Set(await commits(git, to, from))
    const got = async (tip: string | null, earlier: string | null): Promise<boolean> =>
      tip !== null && tip !== earlier && (await commits(git, tip, earlier)).some((commit) => mine.has(commit))
    const hasTarget = await got(now.tip, before.tip)
    const hasHead = !hasTarget && (await got(now.at, before.at))
    return [...(hasTarget && target !== null ? [target] : []), ...(hasHead ? ['HEAD'] : [])]
  })
  return { files, branches, moves }
}

async function commits(git: LookingGit, tip: string, without: string | null): Promise<readonly string[]> {
  const not = without === null ? [] : [`^${without}`]
  const text = outputOf(await git(['rev-list', `--max-count=${MOST_COMMITS}`, '--ignore-missing', tip, ...not]))
  return (text ?? '').split('\n').filter((line) => line !== '')
}

function namedFiles(
  { repository, path }: Worktree,
  home: string,
  { named, since, cwd }: TouchedOrder,
): readonly string[] {
  const fresh = notBefore(since, TICK_MS)
  const base = { kind: 'folder', cwd: repository, files: {}, filesWhole: true } as const
  return [...spelled(base, named, cwd)]
    .filter((name) => !name.startsWith('/'))
    .filter((name) => [home, path].every((own) => wayDown(own, join(repository, name)) === undefined))
    .filter((name) => {
      const stamp = stampOf(join(repository, name))
      return stamp !== undefined && fresh(stamp.ctime)
    })
    .sort()
}
