import type { CurrentRun } from '../../../domain/agent/current-run.ts'
import type { BdCall } from '../command.ts'
import { resolveTask } from '../parts/resolve.ts'
import { isOwnCreation } from './create.ts'
import { notForAgents } from './refusal.ts'

/** Labels on one task, and the letters of one: enough to sort by, too little to write in. */
const MOST_LABELS = 20
const LONGEST = 60

/** An agent labels its own task and the tasks it created. */
export async function checkTag(call: BdCall, own: CurrentRun): Promise<void> {
  const [typed, label = ''] = call.args
  if (typed === undefined) return
  const id = typed === own.task ? typed : await resolveTask(call, typed)
  if (id !== own.task && !(await isOwnCreation(call, id))) {
    throw notForAgents(`${id} is not a task of yours: its labels are not yours to change`)
  }
  if ([...label.trim()].length > LONGEST) {
    throw notForAgents(`a label of an agent has at most ${LONGEST} characters`, 'write the rest with fleet bd note')
  }
  const labels = (await call.store.get(id))?.labels ?? []
  if (labels.length < MOST_LABELS || labels.includes(label.trim())) return
  throw notForAgents(`${id} has ${labels.length} labels, and an agent adds none beyond ${MOST_LABELS}`)
}
