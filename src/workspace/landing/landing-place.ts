import { entryAt, namesIn } from '../../platform/files/folder.ts'
import type { Home } from '../../platform/files/home.ts'
import { isGone, Removals } from '../../platform/files/removals.ts'
import { realPathOf } from '../../platform/files/same-folder.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import type { ConfigOwner, OwnerOf } from '../../platform/git/git-owner.ts'
import { repositoryPrograms } from '../../platform/git/repository-programs.ts'
import type { LandingPlace } from '../../ports/landing-place.ts'
import { bring } from './bring.ts'
import { lookAtLanding } from './look.ts'
import { moveTarget, pushTarget, resumeMove } from './move.ts'

/** Landing in the repositories of this machine, in throw-away work trees below the home. */
export function landingPlace(home: Home, { config, ownerOf }: ConfigOwner & { ownerOf: OwnerOf }): LandingPlace {
  const removals = new Removals()
  return {
    async programs(repository) {
      const checkout = checkoutIn(repository)
      if (checkout === undefined) return undefined
      const { fingerprint, parts, changedAt } = await repositoryPrograms(checkout, { config })
      return { fingerprint, parts, changedAt }
    },
    commonFolder,
    look: lookAtLanding,
    bring(order, signal) {
      const folder = home.landing(order.task)
      removals.begin(folder)
      return bring(order, { folder, owner: ownerOf(order.task) }, signal)
    },
    move: (order, signal) => moveTarget(order, ownerOf(order.task), signal),
    resumeMove: (order, signal) => resumeMove(order, ownerOf(order.task), signal),
    push: (order, signal) => pushTarget(order, ownerOf(order.task), signal),
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

function commonFolder(repository: string): string {
  const folder = checkoutIn(repository)?.commonFolder ?? repository
  return realPathOf(folder) ?? folder
}
