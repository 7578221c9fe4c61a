import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { inText } from '../parts/issue-input.ts'
import { resolveTask } from '../parts/resolve.ts'

export const reopen: BdCommand = {
  name: 'reopen',
  summary: 'Reopen one or more closed issues',
  usage: '[id...] [flags]',
  flags: [{ name: 'reason', short: 'r', kind: 'text', help: 'Reason for reopening' }],
  async run(call) {
    if (call.args.length === 0) throw inText('requires at least 1 arg(s), only received 0')
    refuseReadonly(call, 'reopen')
    const reopened: Task[] = []
    for (const given of call.args) {
      const task = await reopenOne(call, given)
      if (task !== undefined) reopened.push(task)
    }
    if (call.json && reopened.length > 0) call.answer(reopened.map(issueJson))
  },
}

async function reopenOne(call: BdCall, given: string): Promise<Task | undefined> {
  const reason = call.flags.text('reason') ?? ''
  let id: string
  try {
    id = await resolveTask(call, given)
  } catch (error) {
    if (!(error instanceof BdFailure)) throw error
    call.warn(`Error resolving ${given}: ${error.message}${error.hint === undefined ? '' : ` (${error.hint})`}`)
    call.fail()
    return undefined
  }
  const result = await call.store.reopen(id, reason === '' ? {} : { reason }, call.actor)
  switch (result.kind) {
    case 'unknown':
      call.warn(`Error reopening ${id}: issue ${id} not found`)
      call.fail()
      return undefined
    case 'not-closed': {
      const { status } = result.task
      call.warn(status === 'open' ? `${id} is already open` : `${id} is not closed (status: ${status}); nothing to do`)
      return undefined
    }
    case 'reopened':
      if (!call.json) call.print(`↻ Reopened ${id}${reason === '' ? '' : `: ${plainLine(reason)}`}`)
      return result.task
  }
}
