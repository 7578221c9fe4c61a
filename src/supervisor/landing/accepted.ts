import { acceptanceOf } from '../../domain/landing/accepting.ts'
import { type Landing, NEEDS_LANDING, waitOf, waitsAgain } from '../../domain/landing/landing.ts'
import { reviewedReceipt } from '../../domain/run/review.ts'
import { amendInLedger, rewriteReceipt } from '../ending/receipt.ts'
import type { World } from '../world.ts'

/** Finishes a review whose command has not: it may have died, and the task would wait for ever to land. */
export async function finishAcceptance(world: World, landing: Landing): Promise<undefined> {
  const { ledger, queue } = world
  const task = await queue.get(landing.task)
  switch (acceptanceOf(landing, { task, last: ledger.runsOf(landing.task).at(-1) })) {
    case 'accepted':
      return accepted(world, landing)
    case 'undecided':
      return askAgain(world, landing)
    case 'refused':
      world.log('landing-dropped', { task: landing.task, run: landing.run })
      ledger.landings.notAccepted(landing)
  }
}

function accepted(world: World, landing: Landing): undefined {
  const { ledger } = world
  const { task, summary } = landing
  const run = ledger.run(landing.run)
  const amended = ledger.together(() => {
    const review = ledger.reviews
      .of(task)
      .findLast(({ run, decision }) => run === landing.run && decision === 'accepted')
    ledger.saveState({ ...ledger.stateOf(task), lastOutcome: { code: NEEDS_LANDING, text: summary } })
    ledger.landings.accepted(landing)
    return review && run && amendInLedger(world, run, { change: (receipt) => reviewedReceipt(receipt, review) })
  })
  if (run && amended) rewriteReceipt(world, run, amended)
}

/** The command may still wait for the queue. */
function askAgain({ ledger, clock }: World, landing: Landing): undefined {
  ledger.together(() => {
    const row = ledger.landings.of(landing.task)
    if (row?.state.at !== 'accepting') return
    const waits = waitsAgain(waitOf(row), 'the queue has not confirmed its review', { now: clock.now() })
    ledger.landings.advance(row, { state: { ...row.state, waits } })
  })
}
