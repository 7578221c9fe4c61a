import { openLedger, openRecord } from '../../../app.ts'
import { isHeldEdit } from '../../../store/held-edit.ts'
import type { HandEdits } from '../../../store/task-file.ts'
import type { BdCall } from '../command.ts'

/** How a command imports hand edits of task.json, and when it must not. */
export function handEdits({ store, home, actor }: Pick<BdCall, 'store' | 'home' | 'actor'>): HandEdits {
  return {
    store,
    home,
    by: actor,
    heldBack(id) {
      using ledger = openLedger(home, { readOnly: true })
      const run = ledger.openRunOf(id)
      // Once the outcome is known, the supervisor has already checked the file.
      if (run !== undefined && run.phase !== 'ended') return true
      using record = openRecord(home, { readOnly: true })
      return isHeldEdit(home, id, record)
    },
  }
}
