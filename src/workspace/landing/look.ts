import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import { type LookingGit, looking } from '../../platform/git/look.ts'
import type { Execution } from '../../platform/process/exec.ts'
import type { LandingLook, LandingOrder } from '../../ports/landing-place.ts'
import { outputOf, whyFailed } from '../git.ts'
import { tipOf } from './tip.ts'

/** The work of a task beside the branch that it is for. Runs nothing of the repository. */
export async function lookAtLanding(order: LandingOrder): Promise<LandingLook> {
  const { repository, target, commit, base } = order
  const checkout = checkoutIn(repository)
  if (checkout === undefined) return { kind: 'gone', why: `the repository ${repository} does not exist any more` }
  return await looking(checkout, process.env, async (git) => {
    const tip = await tipOf(git, checkout, target)
    if (tip === undefined) return { kind: 'gone', why: `the branch ${target} of ${repository} does not exist any more` }
    const listed = await git(['rev-list', '--parents', commit, `^${tip}`, '--'])
    const all = commitsIn(listed)
    // What lies between the two begins with children of the tip, if it is below the commit at all.
    const isAhead =
      commit === tip ||
      (all === undefined ? await isAncestor(git, tip, commit) : all.some((line) => line.split(' ').includes(tip, 1)))
    // A target with another history: then all of the old one is listed.
    const isTooLong = listed.kind === 'too-much-output'
    if (all === undefined && !isTooLong) {
      return { kind: 'gone', why: `its commit ${commit} is gone from ${repository}: ${whyFailed(listed)}` }
    }
    const isOnLostBase = all === undefined || all.some((line) => line.startsWith(base))
    const own = isOnLostBase
      ? commitsIn(await git(['rev-list', '--parents', commit, `^${base}`, `^${tip}`, '--']))
      : all
    if (own === undefined) return { kind: 'gone', why: `its base ${base} is gone from ${repository}` }
    const merges = own.some((line) => line.split(' ').length > 2)
    return { kind: 'found', facts: { tip, isBehind: !isAhead, own: own.length, merges, isOnLostBase } }
  })
}

/** Each with its parents. */
function commitsIn(run: Execution): readonly string[] | undefined {
  return outputOf(run)
    ?.split('\n')
    .filter((line) => line !== '')
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
