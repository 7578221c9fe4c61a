import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import { type LookingGit, looking } from '../../platform/git/look.ts'
import type { LandingLook, LandingOrder } from '../../ports/landing-place.ts'
import { outputOf, whyFailed } from '../git.ts'

/** The work of a task beside the branch that it is for. Runs nothing of the repository. */
export async function lookAtLanding(order: LandingOrder): Promise<LandingLook> {
  const { repository, target, commit, base } = order
  const checkout = checkoutIn(repository)
  if (checkout === undefined) return { kind: 'gone', why: `the repository ${repository} does not exist any more` }
  return await looking(checkout, process.env, async (git) => {
    const tip = await tipOf(git, target)
    if (tip === undefined) return { kind: 'gone', why: `the branch ${target} of ${repository} does not exist any more` }
    const [sides, own, baseOnTarget] = await Promise.all([
      git(['rev-list', '--left-right', '--count', `${tip}...${commit}`, '--']),
      git(['rev-list', '--parents', commit, `^${base}`, `^${tip}`, '--']),
      isAncestor(git, base, tip),
    ])
    const counted = outputOf(sides)
    const listed = outputOf(own)
    if (counted === undefined || listed === undefined) {
      return { kind: 'gone', why: `its commit ${commit} is gone from ${repository}: ${whyFailed(sides)}` }
    }
    const commits = listed.split('\n').filter((line) => line !== '')
    const facts = {
      tip,
      behind: Number(counted.split('\t')[0]),
      own: commits.length,
      merges: commits.some((line) => line.split(' ').length > 2),
      baseOnTarget,
      // It is asked only where it matters.
      baseInWork: baseOnTarget || (await isAncestor(git, base, commit)),
    }
    return { kind: 'found', facts }
  })
}

export async function isOnTarget(checkout: Checkout, target: string, commit: string): Promise<boolean> {
  return await isIn(checkout, commit, `refs/heads/${target}`)
}

export async function isIn(checkout: Checkout, commit: string, of: string): Promise<boolean> {
  return await looking(checkout, process.env, (git) => isAncestor(git, commit, of))
}

export async function exists(checkout: Checkout, commit: string): Promise<boolean> {
  return await looking(
    checkout,
    process.env,
    async (git) => outputOf(await git(['cat-file', '-e', `${commit}^{commit}`])) !== undefined,
  )
}

async function isAncestor(git: LookingGit, commit: string, of: string): Promise<boolean> {
  return outputOf(await git(['merge-base', '--is-ancestor', commit, of])) !== undefined
}

async function tipOf(git: LookingGit, target: string): Promise<string | undefined> {
  const run = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${target}^{commit}`])
  return outputOf(run)?.trim()
}
