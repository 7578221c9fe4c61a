import type { Landing } from '../../domain/landing/landing.ts'
import type { Base, OfFleet } from '../../ports/workspace.ts'
import type { World } from '../world.ts'

/** A day of short tasks. Others have landed long before a run that is judged now began. */
const MOST_LANDED = 500

/** The work of other tasks that fleet keeps on branches and lands: it is no work of this one, whichever run was busy meanwhile. */
/** `task`: undefined: of all tasks. */
export function ofFleet({ ledger }: Pick<World, 'ledger'>, task: string | undefined): OfFleet {
  const branches = ledger
    .worktrees()
    .filter((each) => each.task !== task)
    .map(({ branch }) => branch)
  const landed = ledger.landings
    .landed(MOST_LANDED)
    .filter((each) => each.task !== task)
    .flatMap(landedBy)
  return { branches, landed }
}

/** Once a branch has been removed, nothing shows any more that it was another task's. */
export function withoutTheirs(base: Base, { branches }: OfFleet): Base {
  if (base.asked?.refs === undefined) return base
  const theirs = new Set(branches.map((name) => `refs/heads/${name}`))
  const refs = Object.fromEntries(Object.entries(base.asked.refs).filter(([name]) => !theirs.has(name)))
  return { ...base, asked: { ...base.asked, refs } }
}

function landedBy({ state }: Landing): readonly string[] {
  switch (state.at) {
    case 'accepting':
      return state.before === undefined ? [] : landedBy(state.before)
    case 'queued':
      return []
    case 'checking':
    case 'moving':
      return [state.to]
    case 'settling':
      return state.landed === undefined ? [] : [state.landed]
    case 'over':
      return state.landed === null ? [] : [state.landed]
  }
}
