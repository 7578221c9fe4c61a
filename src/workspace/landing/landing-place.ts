import { entryAt, namesIn } from '../../platform/files/folder.ts'
import type { Home } from '../../platform/files/home.ts'
import { discardFolder } from '../../platform/files/temporary-folder.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { repositoryPrograms } from '../../platform/git/repository-programs.ts'
import type { LandingPlace } from '../../ports/landing-place.ts'
import { bring } from './bring.ts'
import { lookAtLanding } from './look.ts'
import { moveTarget, pushTarget, resumeMove } from './move.ts'

/** Landing in the repositories of this machine, in throw-away work trees below the home. */
export function landingPlace(home: Home): LandingPlace {
  return {
    async programs(repository) {
      const checkout = checkoutIn(repository)
      return checkout === undefined ? undefined : (await repositoryPrograms(checkout, process.env)).fingerprint
    },
    look: lookAtLanding,
    bring: (order, signal) => bring(order, home.landing(order.task), signal),
    move: moveTarget,
    resumeMove,
    push: pushTarget,
    isBuilt: (path) => entryAt(`${path}/.git`) !== undefined,
    discard: (task) => discardFolder(home.landing(task)),
    clearAway(kept) {
      for (const name of namesIn(home.landings)) if (!kept.includes(name)) discardFolder(`${home.landings}/${name}`)
    },
  }
}
