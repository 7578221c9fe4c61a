import { plainLine } from '../../../domain/text/plain.ts'
import type { BdCommand } from '../command.ts'
import { closeRefusal } from '../parts/amend-refusal.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { openEpics, progressJson } from './epic-status.ts'

const DEFAULT_REASON = 'All children completed'

export const closeEligible: BdCommand = {
  name: 'close-eligible',
  summary: 'Close epics where all children are complete',
  usage: '[flags]',
  examples: ['fleet bd epic close-eligible --dry-run', 'fleet bd epic close-eligible --reason "Shipped in 2.1"'],
  flags: [
    { name: 'dry-run', kind: 'switch', help: 'Preview what would be closed without making changes' },
    {
      name: 'reason',
      short: 'r',
      kind: 'text',
      help: 'Close reason applied to every epic closed',
      default: DEFAULT_REASON,
    },
  ],
  reads: (flags) => flags.on('dry-run'),
  async run(call) {
    const given = call.flags.text('reason') ?? ''
    const reason = given.trim() === '' ? DEFAULT_REASON : given
    if (!call.flags.on('dry-run')) refuseReadonly(call, 'epic close-eligible')
    const eligible = (await openEpics(call.store)).filter((each) => each.eligible)
    if (eligible.length > 0 && call.flags.on('dry-run')) {
      if (call.json) return call.answer(eligible.map(progressJson))
      call.print(`Would close ${eligible.length} epic(s) with reason ${JSON.stringify(reason)}:`)
      for (const { epic } of eligible) call.print(`  - ${epic.id}: ${plainLine(epic.title)}`)
      return
    }
    const closed: string[] = []
    for (const { epic } of eligible) {
      // Ignore assignee and blockers: all work of the epic is done.
      const result = await call.store.close(epic.id, { reason, force: true }, call.actor)
      const refusal = closeRefusal(epic.id, result, call.actor)
      if (refusal === undefined) closed.push(epic.id)
      else call.warn(`Error closing ${epic.id}: ${refusal}`)
    }
    if (call.json) return call.answer({ closed, count: closed.length, reason })
    if (eligible.length === 0) return call.print('No epics eligible for closure')
    for (const id of closed) call.print(`  - ${id}`)
    call.print(`✓ Closed ${closed.length} epic(s) with reason ${JSON.stringify(reason)}`)
  },
}
