import { openLedger } from '../../../app.ts'
import type { HandEdits } from '../../../store/task-file.ts'
import type { BdCall } from '../command.ts'

/** By whom a command takes in what was changed in task.json, and where not. */
export function handEdits({ store, home, actor }: Pick<BdCall, 'store' | 'home' | 'actor'>): HandEdits {
  return {
    store,
    home,
    by: actor,
    atWork(id) {
      using ledger = openLedger(home, { readOnly: true })
      const run = ledger.openRunOf(id)
      // When its outcome is known, what it left of the file was looked at.
      return run !== undefined && run.phase !== 'ended'
    },
  }
}
