import type { Task } from '../../../domain/task/task.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { amendRefusal } from '../parts/amend-refusal.ts'
import { atLeast } from '../parts/arguments.ts'
import { refuseReadonly, refuseTogether } from '../parts/exclusive.ts'
import { resolveTask } from '../parts/resolve.ts'

export const unclaim: BdCommand = {
  name: 'unclaim',
  summary: 'Release a claimed issue',
  usage: '[id...] [flags]',
  about: `Give an issue back: nobody holds it any more, and its status is open. Another's claim is released only with --force,
or while the holder is the one that --if-assignee names. A supervisor that loses its claim this way stops the agent.`,
  examples: ['fleet bd unclaim fleet-a1b --reason "wrong branch"', 'fleet bd unclaim fleet-a1b --if-assignee alice'],
  flags: [
    { name: 'reason', short: 'r', kind: 'text', help: 'Reason for unclaiming (becomes a comment)' },
    { name: 'force', kind: 'switch', help: "Release another's claim, where it was abandoned" },
    {
      name: 'if-assignee',
      kind: 'text',
      help: 'Only while this is the assignee; otherwise nothing changes and exit 1',
    },
  ],
  async run(call) {
    const ids = atLeast(call, 1)
    refuseTogether(call.flags, [['force', 'if-assignee']])
    if (call.flags.has('if-assignee') && call.flags.text('if-assignee') === '') {
      throw new BdFailure(
        '--if-assignee requires a non-empty assignee; it releases the issue only while that assignee still holds it',
      )
    }
    refuseReadonly(call, 'unclaim')
    const released: Task[] = []
    for (const given of ids) {
      const task = await releaseOne(call, given)
      if (task === undefined) call.fail()
      else released.push(task)
    }
    if (call.json && released.length > 0) call.answer(released.map(issueJson))
  },
}

async function releaseOne(call: BdCall, given: string): Promise<Task | undefined> {
  let id: string
  try {
    id = await resolveTask(call, given)
  } catch (error) {
    if (!(error instanceof BdFailure)) throw error
    call.warn(`Error resolving ${given}: ${error.message}${error.hint === undefined ? '' : `\nHint: ${error.hint}`}`)
    return undefined
  }
  const refuse = (why: string): undefined => call.warn(`Error unclaiming ${id}: ${why}`) as undefined
  const before = await call.store.get(id)
  if (before === undefined) return refuse(`issue ${id} not found`)
  const wanted = call.flags.text('if-assignee')
  const why = problem(before, { wanted, actor: call.actor, force: call.flags.on('force') })
  if (why !== undefined) return refuse(why)
  // The holder may have changed since it was read.
  const expect = { assignee: wanted ?? before.assignee, status: before.status }
  const amendment = { change: { status: 'open', assignee: '' }, force: true, expect }
  const result = await call.store.amend(id, amendment, call.actor)
  if (result.kind !== 'amended') return refuse(amendRefusal(id, result, call.actor).why)
  const reason = call.flags.text('reason') ?? ''
  if (reason !== '') await call.store.addComment(id, { author: call.actor, text: reason })
  if (!call.json) call.print(`✓ Unclaimed ${id}${reason === '' ? '' : `: ${reason}`}`)
  return result.task
}

/** A task that is parked or put off stays so: giving it back would start it. */
const CLAIMED: ReadonlySet<string> = new Set(['open', 'in_progress', 'hooked'])

function problem(
  { id, status, assignee }: Task,
  { wanted, actor, force }: { wanted: string | undefined; actor: string; force: boolean },
): string | undefined {
  if (status === 'closed') return `cannot unclaim closed issue ${id}`
  if (wanted !== undefined && assignee !== wanted) {
    return `assignee mismatch: ${id} is held by ${JSON.stringify(assignee)}, expected ${JSON.stringify(wanted)}`
  }
  if (assignee === '') return `issue ${id} is not assigned`
  if (!CLAIMED.has(status))
    return `issue ${id} is ${status}: fleet bd update ${id} --status open --assignee "" opens it`
  if (wanted !== undefined || force || assignee === actor) return undefined
  return `issue claimed by a different actor: ${id} is held by ${assignee}; coordinate with the holder — pass --force only if their claim is abandoned (crashed agent, expired lease)`
}
