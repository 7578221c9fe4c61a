import type { Task } from '../../../domain/task/task.ts'
import { rfc3339 } from '../../../domain/task/time.ts'
import { parseTimeExpression } from '../../../domain/task/time-expression.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { amendRefusal } from '../parts/amend-refusal.ts'
import { atLeast, refuse } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { isPast, warnPastDefer } from '../parts/issue-input.ts'
import { resolveTask } from '../parts/resolve.ts'

export const defer: BdCommand = {
  name: 'defer',
  summary: 'Defer one or more issues for later',
  usage: '[id...] [flags]',
  about: `Put issues off. With --until an issue opens again by itself when the date has come; without it stays deferred
until undefer. Deferred issues are not ready, and list shows them.`,
  examples: ['fleet bd defer fleet-a1b --until tomorrow', 'fleet bd defer fleet-a1b --reason "waiting for access"'],
  flags: [
    { name: 'until', kind: 'text', help: 'Defer until specific time (e.g., +1h, tomorrow, next monday)' },
    { name: 'reason', kind: 'text', help: 'Why it is put off (appended to the notes)' },
  ],
  async run(call) {
    atLeast(call, 1)
    const until = untilOf(call)
    const reason = call.flags.text('reason')?.trim()
    if (reason === '') throw refuse('reason cannot be empty')
    refuseReadonly(call, 'defer')
    const change = {
      status: 'deferred',
      ...(until === undefined ? {} : { defer_until: until }),
      ...(reason === undefined ? {} : { appendNotes: reason }),
    }
    const deferred: Task[] = []
    for (const id of await resolveEach(call)) {
      const result = await call.store.amend(id, { change }, call.actor)
      if (result.kind === 'amended') {
        deferred.push(result.task)
        if (!call.json) call.print(`* Deferred ${id}`)
      } else {
        call.warn(`Error deferring ${id}: ${amendRefusal(id, result, call.actor).why}`)
        call.fail()
      }
    }
    if (call.json && deferred.length > 0) call.answer(deferred.map(issueJson))
  },
}

function untilOf(call: BdCall): string | undefined {
  const text = call.flags.text('until') ?? ''
  if (text === '') return undefined
  const at = parseTimeExpression(text, call.now)
  if (at === undefined) {
    throw refuse(`invalid --until format ${JSON.stringify(text)}. Examples: +1h, tomorrow, next monday, 2025-01-15`)
  }
  const until = rfc3339(at.getTime())
  if (isPast(call, until) && !call.json) warnPastDefer(call, until, 'until')
  return until
}

/** All or none. bd reports unknown ids in plain text. */
export async function resolveEach(call: BdCall): Promise<string[]> {
  try {
    return await Promise.all(call.args.map((text) => resolveTask(call, text)))
  } catch (error) {
    if (!(error instanceof BdFailure)) throw error
    throw new BdFailure(error.message, { json: 'text', ...(error.hint === undefined ? {} : { hint: error.hint }) })
  }
}
