import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { checkoutAt } from '../../../platform/git/checkout.ts'
import { looking } from '../../../platform/git/look.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { closeRefusal } from '../parts/amend-refusal.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { LABEL_FLAGS, trimmed } from '../parts/filters.ts'

export const orphans: BdCommand = {
  name: 'orphans',
  summary: 'Identify orphaned issues (referenced in commits but still open)',
  usage: '[flags]',
  about: `Find issues that a commit of this repository names, as in "Fix the cart (fleet-a1b)", and that are still open: work
that was done and not closed. Outside a repository there are none.`,
  examples: ['fleet bd orphans --details', 'fleet bd orphans --label ui --json'],
  flags: [
    { name: 'fix', short: 'f', kind: 'switch', help: 'Close orphaned issues with confirmation' },
    { name: 'details', kind: 'switch', help: 'Show full commit information' },
    ...LABEL_FLAGS,
  ],
  reads: (flags) => !flags.on('fix'),
  async run(call) {
    if (call.flags.on('fix')) refuseReadonly(call, 'orphans --fix')
    const found = await orphansOf(call)
    if (call.json) return call.answer(found.length === 0 ? null : found.map(orphanJson))
    if (found.length === 0) return call.print('✓ No orphaned issues found')
    call.print(`\n⚠ Found ${found.length} orphaned issue(s):\n`)
    found.forEach(({ task, commit, message }, i) => {
      call.print(`${i + 1}. ${task.id}: ${plainLine(task.title)}\n   Status: ${task.status}`)
      if (call.flags.on('details')) call.print(`   Latest commit: ${commit} - ${plainLine(message)}`)
    })
    if (call.flags.on('fix')) await fix(call, found)
  },
}

/** The log of a repository with a million commits. */
const LOG_LIMITS = { timeoutMs: 120_000, maxBytes: 1 << 28 }

interface Orphan {
  readonly task: Task
  readonly commit: string
  readonly message: string
}

async function orphansOf(call: BdCall): Promise<Orphan[]> {
  const checkout = checkoutAt(call.cwd)
  if (checkout === undefined) return []
  const log = await looking(checkout, call.env, (git) => git(['log', '--oneline', '--all', '--no-color'], LOG_LIMITS))
  // A repository without a commit.
  if (log.kind !== 'ended' || log.code !== 0) return []
  const labels = trimmed(call.flags.all('label'))
  const any = trimmed(call.flags.all('label-any'))
  const open = new Map<string, Task>()
  for await (const task of call.store.find({
    statuses: ['open', 'in_progress'],
    ...(labels.length === 0 ? {} : { labelsAll: labels }),
    ...(any.length === 0 ? {} : { labelsAny: any }),
  })) {
    open.set(task.id, task)
  }
  const found = new Map<string, Orphan>()
  const named = new RegExp(`\\(${call.store.prefix.replace(/[^\w-]/g, '\\$&')}-[a-z0-9.]+\\)`, 'g')
  for (const line of log.out.toString('utf8').split('\n')) {
    const [commit = ''] = line.split(' ', 1)
    for (const [match] of line.matchAll(named)) {
      const task = open.get(match.slice(1, -1))
      // The newest commit comes first.
      if (task !== undefined && !found.has(task.id)) {
        found.set(task.id, { task, commit, message: line.slice(commit.length + 1) })
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.task.id < b.task.id ? -1 : 1))
}

function orphanJson({ task: { id, title, status }, commit, message }: Orphan): Record<string, string> {
  return { issue_id: id, title, status, latest_commit: commit, latest_commit_message: message }
}

/** As in bd, an empty answer means yes; no answer at all means no. */
async function fix(call: BdCall, found: readonly Orphan[]): Promise<void> {
  call.print(`\nThis will close ${found.length} orphaned issue(s). Continue? (Y/n): `)
  const [answer] = call.readInput('-').split('\n', 1)
  if (answer === undefined || !['', 'y', 'yes'].includes(answer.trim().toLowerCase())) return call.print('Canceled.')
  let closed = 0
  for (const { task } of found) {
    const result = await call.store.close(task.id, { reason: 'Implemented' }, call.actor)
    const why = closeRefusal(task.id, result, call.actor)
    if (why === undefined) {
      closed++
      call.print(`✓ Closed ${task.id}`)
    } else call.warn(`Error closing ${task.id}: ${why}`)
  }
  call.print(`\nClosed ${closed} issue(s)`)
  if (closed < found.length) throw new BdFailure(`${found.length - closed} of ${found.length} could not be closed`)
}
