import type { LastRun } from '../domain/fleet/attention.ts'
import { sameHome } from '../domain/fleet/claimer.ts'
import { isOpen, mergedQuestions, type SharedRecord } from '../domain/fleet/shared-record.ts'
import type { Question, TaskState } from '../domain/run/run.ts'
import type { Task } from '../domain/task/task.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { TaskStore } from '../ports/task-store.ts'

/** The state of tasks wherever they ran: from this home's ledger and, on a shared queue, from other machines. */

export interface Stores {
  readonly queue: Pick<TaskStore, 'records'>
  readonly ledger: Ledger
}

export interface TaskKnowledge {
  readonly state: TaskState
  readonly questions: readonly Question[]
  /** Open questions whose agents stopped for an answer. An agent may also ask and work on. */
  readonly awaited: readonly Question[]
  /** How its last attempt ended. */
  readonly last: LastRun | undefined
}

export async function knownOf(stores: Stores, tasks: readonly string[]): Promise<(task: string) => TaskKnowledge> {
  const records = (await stores.queue.records?.of(tasks)) ?? []
  const byTask = new Map(records.map((record) => [record.task, record]))
  return (task) => {
    const record = byTask.get(task)
    return record === undefined ? knownHere(stores.ledger, task) : knownAnywhere(stores.ledger, record)
  }
}

function knownHere(ledger: Ledger, task: string): TaskKnowledge {
  const questions = ledger.questionsOf(task)
  const awaited = awaitedOf(ledger, questions)
  return { state: ledger.stateOf(task), questions, awaited, last: ledger.runsOf(task).at(-1) }
}

/** The shared record is at least as new as the ledger: it is written before another machine can claim the task. */
function knownAnywhere(ledger: Ledger, record: SharedRecord): TaskKnowledge {
  const { task, state, next, questions } = record
  const elsewhere = machineElsewhere(ledger, record)
  const last = state.lastOutcome === null ? undefined : { outcome: state.lastOutcome, next, ...elsewhere }
  const merged = mergedQuestions(questions, ledger.questionsOf(task))
  return { state, questions: merged, awaited: awaitedOf(ledger, merged), last }
}

/** The last attempt has left no run here, or an earlier one was the last here. */
function machineElsewhere(ledger: Ledger, { task, host, machine }: SharedRecord): Pick<LastRun, 'machine'> {
  const own = ledger.runsOf(task).at(-1)
  const isHere = host === '' || (own !== undefined && sameHome(host, own.claimedBy))
  return isHere ? {} : { machine }
}

/** A run of another machine is not in the ledger; its question counts as awaited. */
function awaitedOf(ledger: Ledger, questions: readonly Question[]): readonly Question[] {
  return questions.filter((question) => {
    return isOpen(question) && (ledger.run(question.run)?.outcome?.code ?? 'question') === 'question'
  })
}

/** A question that a task waits for, and the title of that task. */
export interface Asked {
  readonly question: Question
  readonly title: string
}

/** In these states a task waits for no answer: it is closed, or was opened without one. */
const ASKS_NOTHING: readonly string[] = ['closed', 'open', 'in_progress']

/** Its last attempt ended for another reason than a question. */
function endedOtherwise({ lastOutcome }: TaskState): boolean {
  return lastOutcome !== null && lastOutcome.code !== 'question'
}

/** The newest question that the task waits for. */
export function awaitedQuestion(
  { status }: Task,
  { awaited, state }: Pick<TaskKnowledge, 'awaited' | 'state'>,
): Question | undefined {
  return ASKS_NOTHING.includes(status) || endedOtherwise(state) ? undefined : awaited.at(-1)
}

/** The questions that tasks wait for, on all machines, oldest first. */
export async function awaitedQuestions(
  stores: Stores & { readonly queue: Pick<TaskStore, 'find'> },
): Promise<readonly Asked[]> {
  const unanswered = await unansweredQuestions(stores)
  if (unanswered.length === 0) return []
  const ids = [...new Set(unanswered.map(({ task }) => task))]
  const titles = new Map<string, string>()
  for await (const { id, title } of stores.queue.find({ ids, notStatuses: ASKS_NOTHING })) titles.set(id, title)
  return unanswered.flatMap((question) => {
    const title = titles.get(question.task)
    return title === undefined ? [] : [{ question, title }]
  })
}

async function unansweredQuestions({ queue, ledger }: Stores): Promise<readonly Question[]> {
  const open = ledger.openQuestions().filter(({ task }) => !endedOtherwise(ledger.stateOf(task)))
  const here = awaitedOf(ledger, open)
  if (queue.records === undefined) return here
  const asking = await queue.records.asking()
  // A question asked here has no shared record while its task is being settled, or when it came from another queue.
  const recorded = new Set((await queue.records.of(here.map(({ task }) => task))).map(({ task }) => task))
  const elsewhere = asking
    .filter(({ state }) => !endedOtherwise(state))
    .flatMap((record) => knownAnywhere(ledger, record).awaited)
  return [...elsewhere, ...here.filter(({ task }) => !recorded.has(task))].sort((a, b) => a.askedAt - b.askedAt)
}
