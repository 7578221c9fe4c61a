import { isBranchName } from '../domain/task/branch.ts'
import { branchOf, checkoutAt } from '../platform/git/checkout.ts'

/** The branch that the repository of a directory has checked out; undefined: none. */
export function branchAt(cwd: string): string | undefined {
  const checkout = checkoutAt(cwd)
  const branch = checkout && branchOf(checkout)
  return branch !== undefined && isBranchName(branch) ? branch : undefined
}
