import { takeNextReady } from '../../../actions/take-next.ts'
import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import type { CloseResult } from '../../../ports/queue.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { closeRefusal, openChildrenRefusal } from '../parts/amend-refusal.ts'
import { checkReasons } from '../parts/check-sections.ts'
import { reasonsFrom } from '../parts/close-reasons.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { named } from '../parts/feedback.ts'
import { handEdits } from '../parts/hand-edits.ts'
import { edgeJson } from '../parts/listed.ts'
import { resolveSaying } from '../parts/resolve.ts'
import { NO_ID } from './update.ts'

export const close: BdCommand = {
  name: 'close',
  summary: 'Close one or more issues',
  usage: '[id...] [flags]',
  about: `Close one or more issues. One --reason is for all of them; several are for one issue each, in their order.
An issue with open children or open blockers, pinned, or held by somebody else is refused without --force.`,
  flags: [
    { name: 'reason', short: 'r', kind: 'many', value: 'string', help: 'Reason for closing' },
    { name: 'resolution', kind: 'text', help: 'Alias for --reason', hidden: true },
    { name: 'message', short: 'm', kind: 'text', help: 'Alias for --reason', hidden: true },
    { name: 'comment', kind: 'text', help: 'Alias for --reason', hidden: true },
    { name: 'reason-file', kind: 'text', value: 'file', help: 'Read close reason from file (use - for stdin)' },
    { name: 'force', short: 'f', kind: 'switch', help: 'Close in spite of all that' },
    { name: 'suggest-next', kind: 'switch', help: 'Show newly unblocked issues after closing' },
    { name: 'claim-next', kind: 'switch', help: 'Claim the next ready issue' },
    { name: 'session', kind: 'text', help: 'Session ID (or CLAUDE_SESSION_ID)' },
  ],
  refused: {
    continue: 'molecules need a beads queue; use --claim-next',
    'no-auto': 'molecules need a beads queue; use --suggest-next',
  },
  run: (call) => closeAll(call, call.args),
}

/** `bd done <id> <why>`: the last argument is the reason, unless a flag gives one. */
export const done: BdCommand = {
  ...close,
  name: 'done',
  summary: 'Close one or more issues; the last argument is the reason',
  usage: '[id...] [reason] [flags]',
  run: (call) => closeAll(call, call.args, 'last argument is the reason'),
}

async function closeAll(call: BdCall, given: readonly string[], habit?: 'last argument is the reason'): Promise<void> {
  if (given.length === 0) throw new BdFailure(NO_ID)
  refuseReadonly(call, 'close')
  const { flags } = call
  const { reasons, ids } = reasonsFrom(call, given, habit !== undefined)
  await checkReasons(call, reasons)
  if (flags.on('suggest-next') && ids.length > 1) {
    throw new BdFailure('--suggest-next only works when closing a single issue')
  }
  // Resolve every id before closing any, as bd does: a mistyped id closes nothing.
  const resolved: string[] = []
  for (const id of ids) resolved.push(await resolveSaying(call, id, `resolving ID ${id}`))
  const closed: Task[] = []
  let changed = false
  for (const [i, id] of resolved.entries()) {
    const reason = (reasons.length === 1 ? reasons[0] : reasons[i]) ?? ''
    const result = await closeOne(call, id, reason)
    if (result === undefined) continue
    closed.push(result.task)
    if (result.molecule !== undefined && !call.json && !call.quiet) {
      call.print(`✓ Auto-closed completed molecule ${named(result.molecule.id, result.molecule.title)}`)
    }
    changed ||= result.kind === 'closed'
    if (!call.json && !call.quiet) call.print(`✓ Closed ${named(id, result.task.title)}: ${plainLine(reason)}`)
  }
  if (closed.length === 0) return call.fail()
  const unblocked = flags.on('suggest-next') ? await unblockedBy(call, closed[0]?.id ?? '') : []
  // As with bd, closing a closed task does not claim the next one.
  const claimed = flags.on('claim-next') && changed ? await claimNext(call) : undefined
  const outcome = { closed, unblocked, claimed }
  if (call.json) await answer(call, outcome)
  else say(call, outcome)
}

type Closed = Extract<CloseResult, { kind: 'closed' | 'already' }>

async function closeOne(call: BdCall, id: string, reason: string): Promise<Closed | undefined> {
  const force = call.flags.on('force')
  const session = call.flags.text('session') || call.env['CLAUDE_SESSION_ID'] || ''
  const result = await call.store.close(id, { reason, session, force }, call.actor)
  if (result.kind === 'closed' || result.kind === 'already') {
    // Checked for already closed tasks too, as in bd: report an epic as done only if all its children are.
    const open = force || result.kind === 'already' ? await openChildren(call, id) : 0
    if (open === 0) return result
    call.warn(
      force ? `warning: closing ${id} with ${open} open child issue(s) still active` : openChildrenRefusal(id, open),
    )
    return force ? result : undefined
  }
  const why = closeRefusal(id, result, call.actor) ?? ''
  call.warn(result.kind === 'blocked' ? `${why} (use --force to override)` : why)
  return undefined
}

function openChildren(call: BdCall, id: string): Promise<number> {
  return call.store.count({ parent: id, notStatuses: ['closed'] })
}

/** Tasks that this close unblocked, by id. */
async function unblockedBy(call: BdCall, id: string): Promise<Task[]> {
  const waiting = (await call.store.edges([id], 'up')).filter((edge) => edge.type === 'blocks')
  const tasks: Task[] = []
  for (const { issue_id } of waiting) {
    const task = await call.store.get(issue_id)
    if (task === undefined || task.status === 'closed' || task.status === 'pinned') continue
    const blockers = (await call.store.edges([issue_id], 'down')).filter((edge) => edge.type === 'blocks')
    const open = await call.store.count({
      ids: blockers.map((edge) => edge.depends_on_id),
      notStatuses: ['closed', 'pinned'],
    })
    if (open === 0) tasks.push(task)
  }
  return tasks.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The task stays closed even if the next one cannot be claimed because of its task.json. */
async function claimNext(call: BdCall): Promise<Task | undefined> {
  const next = await takeNextReady(handEdits(call), {})
  if (next.kind === 'taken') return next.task
  if (next.kind === 'bad-edit') {
    call.warn(`Error claiming ${next.id}: ${next.why.message}`)
    call.fail()
  }
  return undefined
}

interface Outcome {
  readonly closed: readonly Task[]
  readonly unblocked: readonly Task[]
  readonly claimed: Task | undefined
}

async function answer(call: BdCall, { closed, unblocked, claimed }: Outcome): Promise<void> {
  const issues = closed.map(issueJson)
  if (unblocked.length > 0) return call.answer({ closed: issues, unblocked: unblocked.map(issueJson) })
  if (claimed === undefined) return call.answer(issues)
  const edges = (await call.store.edges([claimed.id], 'down')).map(edgeJson)
  const dependencies = edges.length === 0 ? {} : { dependencies: edges }
  call.answer({ closed: issues, claimed: { ...issueJson(claimed), ...dependencies } })
}

function say(call: BdCall, { unblocked, claimed }: Outcome): void {
  if (unblocked.length > 0) {
    call.print('\nNewly unblocked:')
    for (const task of unblocked) call.print(`  • ${named(task.id, task.title)} (P${task.priority})`)
  }
  if (!call.flags.on('claim-next') || call.quiet) return
  if (claimed === undefined) call.print('\n✨ No ready issues available to claim.')
  else call.print(`✓ Auto-claimed next ready issue: ${named(claimed.id, claimed.title)} (P${claimed.priority})`)
}
