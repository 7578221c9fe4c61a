import { entryAt, namesIn } from '../../platform/files/folder.ts'
import type { Home } from '../../platform/files/home.ts'
import { isGone, Removals } from '../../platform/files/removals.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { repositoryPrograms } from '../../platform/git/repository-programs.ts'
import type { LandingPlace } from '../../ports/landing-place.ts'
import { bring } from './bring.ts'
import { lookAtLanding } from './look.ts'
import { moveTarget, pushTarget, resumeMove } from './move.ts'

/** Landing in the repositories of this machine, in throw-away work trees below the home. */
export function landingPlace(home: Home): LandingPlace {
  const removals = new Removals()
  return {
    async programs(repository) {
      const checkout = checkoutIn(repository)
      if (checkout === undefined) return undefined
      const { fingerprint, parts } = await repositoryPrograms(checkout, process.env)
      return { fingerprint, parts }
    },
    look: lookAtLanding,
    bring(order, signal) {
      const folder = home.landing(order.task)
      removals.begin(folder)
      return bring(order, folder, signal)
    },
    move: moveTarget,
    resumeMove,
    push: pushTarget,
    isBuilt: (path) => entryAt(`${path}/.git`) !== undefined,
    discard: (task) => removals.begin(home.landing(task)),
    removed: () => removals.done(),
    clearAway(kept) {
      for (const name of namesIn(home.landings)) {
        const path = `${home.landings}/${name}`
        if (isGone(name)) removals.finish(path)
        else if (!kept.includes(name)) removals.begin(path)
      }
    },
  }
}
