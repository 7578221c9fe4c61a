import { sameHome } from '../../domain/fleet/claimer.ts'
import { hostNames } from '../../domain/fleet/host.ts'
import { isOpen, mergedQuestions, mergedRecord, type SharedRecord, stateAt } from '../../domain/fleet/shared-record.ts'
import { isSameState } from '../../domain/landing/landing.ts'
import type { TaskState } from '../../domain/run/run.ts'
import type { NextStep } from '../../domain/task/next-step.ts'
import type { LearntQuestion } from '../../ports/ledger.ts'
import type { Claim } from '../../ports/queue.ts'
import type { World } from '../world.ts'

/** A task's shared record: learnt when the task is claimed, written before it is settled, so that the next claimer finds it. */

/** Takes what the last machine knew of the task into the ledger. undefined: there is no record. */
export async function learn(world: World, task: string): Promise<SharedRecord | undefined> {
  const record = (await world.records?.of([task]))?.[0]
  if (record === undefined) return undefined
  for (const learnt of world.ledger.learn(stateAt(record, world.name), record.questions)) writeDown(world, learnt)
  return record
}

/** Into Q&A.md, for people and agents. A file that an agent made unwritable loses nothing: the ledger has it already. */
function writeDown(world: World, { question, asked, answered }: LearntQuestion): void {
  const { task, text, options, suggestion, askedAt, answer, answeredAt } = question
  try {
    if (asked) world.questions.asked(task, { text, options, suggestion, at: askedAt })
    if (answered) world.questions.answered(task, { text: answer ?? '', at: answeredAt ?? 0 })
  } catch (error) {
    world.log('questions-file-unwritable', { task, why: String(error) })
  }
}

/** The machine of the last attempt, if that was another one. */
export function cameFrom({ name }: World, record: SharedRecord | undefined): string | undefined {
  return record === undefined || record.host === '' || sameHome(record.host, name) ? undefined : record.machine
}

/** Writes the task's record. Only while the claim holds: a machine that has lost the task changes nothing. */
export async function tell(world: World, claim: Claim, next: NextStep): Promise<void> {
  const { records, ledger } = world
  const { id: task } = claim
  const { name } = hostNames(world.policy().host, world.machine.hostName)
  const here = { host: world.name, machine: name }
  const mine = { task, ...here, state: ledger.stateOf(task), next, questions: ledger.questionsOf(task) }
  await records?.change(task, (current) => mergedRecord(current, mine), claim)
}

/**
 * The same for a task that its claim left blocked and that is decided about again. Only while no other machine has had it
 * since. `instead`: only of this state.
 */
export async function tellAgain(
  { records, name }: World,
  task: string,
  { state, next, instead }: { state: TaskState; next: NextStep | null; instead?: TaskState },
): Promise<void> {
  await records?.change(task, (current) => {
    const isOurs = current !== undefined && sameHome(current.host, name)
    const isMeant = isOurs && (instead === undefined || isSameState(current.state, instead))
    return isMeant ? { ...current, state, next } : undefined
  })
}

/** Shares answers that a person wrote into Q&A.md on this machine, so that other machines stop asking. */
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
