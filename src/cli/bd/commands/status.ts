import type { Stats } from '../../../ports/task-store.ts'
import type { BdCall, BdCommand } from '../command.ts'

/** Counts that were not requested are null. */
type Summary = { [K in keyof Stats]: K extends 'blocked_issues' | 'ready_issues' ? number | null : number }

export const status: BdCommand = {
  name: 'status',
  aliases: ['stats'],
  summary: 'Show issue database overview and statistics',
  usage: '[flags]',
  about: 'A quick snapshot: how many issues are in each state, and how many are ready to work on.',
  flags: [
    { name: 'all', kind: 'switch', help: 'Show all issues (default behavior)' },
    { name: 'assigned', kind: 'switch', help: 'Show issues assigned to the current user' },
    { name: 'no-activity', kind: 'switch', help: 'Accepted; fleet does not read git here' },
    { name: 'no-blocked', kind: 'switch', help: 'Leave out the blocked and ready counts' },
  ],
  reads: true,
  async run(call) {
    const summary = call.flags.on('assigned') ? await assigned(call) : await everything(call)
    if (call.json) {
      return call.answer({ summary, ...(summary.blocked_issues === null ? { blocked_count_skipped: true } : {}) })
    }
    print(call, summary)
  },
}

async function everything({ store, flags }: BdCall): Promise<Summary> {
  const stats = await store.stats()
  const rounded = { ...stats, average_lead_time_hours: Math.round(stats.average_lead_time_hours * 10) / 10 }
  return flags.on('no-blocked') ? { ...rounded, blocked_issues: null, ready_issues: null } : rounded
}

/** Counts for one assignee. `blocked` is the status, as in bd, not tasks blocked by dependencies. */
async function assigned({ store, actor }: BdCall): Promise<Summary> {
  const groups = await store.countBy({ assignee: actor }, 'status')
  const of = (status: string) => groups.find((each) => each.group === status)?.count ?? 0
  return {
    total_issues: groups.reduce((sum, each) => sum + each.count, 0),
    open_issues: of('open'),
    in_progress_issues: of('in_progress'),
    closed_issues: of('closed'),
    blocked_issues: of('blocked'),
    deferred_issues: of('deferred'),
    ready_issues: await store.count({ assignee: actor, ready: true }),
    pinned_issues: 0,
    epics_eligible_for_closure: 0,
    average_lead_time_hours: 0,
  }
}

function print({ print }: BdCall, summary: Summary): void {
  const skipped = (count: number | null) => (count === null ? '(skipped)' : String(count))
  print('\n📊 Issue Database Status\n\nSummary:')
  print(`  Total Issues:           ${summary.total_issues}`)
  print(`  Open:                   ${summary.open_issues}`)
  print(`  In Progress:            ${summary.in_progress_issues}`)
  print(`  Blocked:                ${skipped(summary.blocked_issues)}`)
  print(`  Closed:                 ${summary.closed_issues}`)
  print(`  Ready to Work:          ${skipped(summary.ready_issues)}`)
  const extended = [
    summary.pinned_issues > 0 ? `  Pinned:                 ${summary.pinned_issues}` : '',
    summary.epics_eligible_for_closure > 0 ? `  Epics Ready to Close:   ${summary.epics_eligible_for_closure}` : '',
    summary.average_lead_time_hours > 0
      ? `  Avg Lead Time:          ${summary.average_lead_time_hours.toFixed(1)} hours`
      : '',
  ].filter((line) => line !== '')
  if (extended.length > 0) print(`\nExtended:\n${extended.join('\n')}`)
  print("\nFor more details, use 'bd list' to see individual issues.\n")
}
