import { postFrom } from '../../../actions/post-letter.ts'
import type { CurrentRun } from '../../../domain/agent/current-run.ts'
import type { InboxItem } from '../../../domain/agent/inbox.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { NO_ID } from '../commands/update.ts'
import { reasonsFrom } from '../parts/close-reasons.ts'
import { resolveTask } from '../parts/resolve.ts'
import { notForAgents } from './refusal.ts'

/** `bd close` of the agent's own task sends its claim to the supervisor and does not change the store. */
export async function claimDone(
  call: BdCall,
  own: CurrentRun,
  { lastIsReason }: { lastIsReason: boolean },
): Promise<void> {
  if (call.args.length === 0) throw new BdFailure(NO_ID)
  const { reasons, ids } = reasonsFrom(call, call.args, lastIsReason)
  await onlyOwn(call, own, ids, 'closed')
  leave(call, own, { kind: 'done', summary: reasons[0] === 'Closed' ? '' : (reasons[0] ?? '') })
}

/** Asks the store only if an id is abbreviated. */
export async function onlyOwn(call: BdCall, own: CurrentRun, ids: readonly string[], done: string): Promise<void> {
  for (const given of ids) {
    const id = given === own.task ? given : await resolveTask(call, given)
    if (id !== own.task) throw notForAgents(`${id} is not your task (that is ${own.task}): it was not ${done}`)
  }
}

const NEXT = {
  done: 'you say it is done. The supervisor checks the work when you exit; stop now.',
  ask: 'you asked a person. Stop now, without guessing the answer; you continue when it arrives.',
  note: 'noted.',
} as const

export function leave(call: BdCall, own: CurrentRun, item: Extract<InboxItem, { kind: keyof typeof NEXT }>): void {
  postFrom(own, { home: call.home, env: call.env, item })
  if (call.json) call.answer({ id: own.task, recorded: item.kind })
  else call.print(`Recorded for ${own.task}: ${NEXT[item.kind]}`)
}
