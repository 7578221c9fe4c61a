import { discardFolder } from '../../platform/files/temporary-folder.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { repositoryPrograms } from '../../platform/git/repository-programs.ts'
import type { LandingPlace } from '../../ports/landing-place.ts'
import { bring } from './bring.ts'
import { isOnTarget, lookAtLanding } from './look.ts'
import { moveTarget, pushTarget } from './move.ts'

/** Landing in the repositories of this machine. */
export const landingPlace: LandingPlace = {
  async programs(repository) {
    const checkout = checkoutIn(repository)
    return checkout === undefined ? undefined : (await repositoryPrograms(checkout, process.env)).fingerprint
  },
  look: lookAtLanding,
  async isOn({ repository, target }, commit) {
    const checkout = checkoutIn(repository)
    return checkout !== undefined && (await isOnTarget(checkout, target, commit))
  },
  bring,
  move: moveTarget,
  push: pushTarget,
  discard: discardFolder,
}
