import { openLedger } from '../../../app.ts'
import type { HandEdits } from '../../../store/task-file.ts'
import type { BdCall } from '../command.ts'

/** How a command imports hand edits of task.json, and when it must not. */
export function handEdits({ store, home, actor }: Pick<BdCall, 'store' | 'home' | 'actor'>): HandEdits {
  return {
    store,
    home,
    by: actor,
    atWork(id) {
      using ledger = openLedger(home, { readOnly: true })
      const run = ledger.openRunOf(id)
      // Once the outcome is known, the supervisor has already checked the file.
      return run !== undefined && run.phase !== 'ended'
    },
  }
}
