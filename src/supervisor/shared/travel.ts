import { sameHome } from '../../domain/fleet/claimer.ts'
import { hostNames } from '../../domain/fleet/host.ts'
import { isOpen, mergedQuestions, mergedRecord, type SharedRecord, stateAt } from '../../domain/fleet/shared-record.ts'
import type { NextStep } from '../../domain/task/next-step.ts'
import type { LearntQuestion } from '../../ports/ledger.ts'
import type { Claim } from '../../ports/queue.ts'
import type { World } from '../world.ts'

/** What travels with a task: learnt when it is claimed, told before it is settled, so that the next claimer finds it. */

/** The ledger knows of the task what the last machine knew. undefined: there is nothing to learn. */
export async function learn(world: World, task: string): Promise<SharedRecord | undefined> {
  const record = (await world.records?.of([task]))?.[0]
  if (record === undefined) return undefined
  for (const learnt of world.ledger.learn(stateAt(record, world.name), record.questions)) writeDown(world, learnt)
  return record
}

/** Where people and agents read it. The ledger has it already: a file that an agent made unwritable loses nothing. */
function writeDown(world: World, { question, asked, answered }: LearntQuestion): void {
  const { task, text, options, suggestion, askedAt, answer, answeredAt } = question
  try {
    if (asked) world.asked(task, { text, options, suggestion, at: askedAt })
    if (answered) world.answered(task, { text: answer ?? '', at: answeredAt ?? 0 })
  } catch (error) {
    world.log('questions-file-unwritable', { task, why: String(error) })
  }
}

export function cameFrom({ name }: World, record: SharedRecord | undefined): string | undefined {
  return record === undefined || record.host === '' || sameHome(record.host, name) ? undefined : record.machine
}

/** The claim decides: what a machine says that has lost its task is not written. */
export async function tell(world: World, claim: Claim, next: NextStep): Promise<void> {
  const { records, ledger } = world
  const { id: task } = claim
  const { name } = hostNames(world.policy().host, world.machine.hostName)
  const here = { host: world.name, machine: name }
  const mine = { task, ...here, state: ledger.stateOf(task), next, questions: ledger.questionsOf(task) }
  await records?.change(task, (current) => mergedRecord(current, mine), claim)
}

/** Answers that were written into Q&A.md by hand, here: nobody needs to be asked any more. */
export async function tellAnswers(
  { records, ledger }: World,
  claim: Claim,
  record: SharedRecord | undefined,
): Promise<void> {
  if (record === undefined || !record.questions.some(isOpen)) return
  const own = ledger.questionsOf(claim.id)
  const given = (run: string): boolean => own.some((question) => question.run === run && !isOpen(question))
  if (!record.questions.some((question) => isOpen(question) && given(question.run))) return
  await records?.change(
    claim.id,
    (current) => current && { ...current, questions: mergedQuestions(current.questions, own) },
    claim,
  )
}
