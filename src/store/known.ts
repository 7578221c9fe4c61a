import { isOpen, mergedQuestions, mergedRecord, type SharedRecord, withAnswer } from '../domain/fleet/shared-record.ts'
import type { Question, Run, TaskState } from '../domain/run/run.ts'
import type { Task } from '../domain/task/task.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { TaskStore } from '../ports/task-store.ts'

/** What is known of tasks wherever they ran: by this home's ledger and, where machines share the queue, by theirs. */

export interface Stores {
  readonly queue: Pick<TaskStore, 'records'>
  readonly ledger: Ledger
}

export interface Known {
  readonly state: TaskState
  readonly questions: readonly Question[]
  /** How its last attempt ended. */
  readonly last: Pick<Run, 'outcome' | 'next'> | undefined
}

export async function knownOf(stores: Stores, tasks: readonly string[]): Promise<(task: string) => Known> {
  const records = (await stores.queue.records?.of(tasks)) ?? []
  const byTask = new Map(records.map((record) => [record.task, record]))
  return (task) => {
    const record = byTask.get(task)
    return record === undefined ? knownHere(stores.ledger, task) : knownAnywhere(stores.ledger, record)
  }
}

function knownHere(ledger: Ledger, task: string): Known {
  return { state: ledger.stateOf(task), questions: ledger.questionsOf(task), last: ledger.runsOf(task).at(-1) }
}

/** The record is at least as new: it is written before the task can go to anybody else. */
function knownAnywhere(ledger: Ledger, { task, state, next, questions }: SharedRecord): Known {
  const last = state.lastOutcome === null ? undefined : { outcome: state.lastOutcome, next }
  return { state, questions: mergedQuestions(questions, ledger.questionsOf(task)), last }
}

/** A question that somebody waits for, and what its task is called. */
export interface Asked {
  readonly question: Question
  readonly title: string
}

/** Nobody waits for an answer on a task that is closed, or gone, or that somebody let go on without one. */
const ASKS_NOTHING: readonly string[] = ['closed', 'open', 'in_progress']

/** Nor on one that went on and ended for another reason. */
function wentOn({ lastOutcome }: TaskState): boolean {
  return lastOutcome !== null && lastOutcome.code !== 'question'
}

/** The newest one that the task waits for. */
export function awaitedQuestion(
  { status }: Task,
  { questions, state }: Pick<Known, 'questions' | 'state'>,
): Question | undefined {
  return ASKS_NOTHING.includes(status) || wentOn(state) ? undefined : questions.findLast(isOpen)
}

/** Those that tasks wait for, of all machines, oldest first. */
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
  const here = ledger.openQuestions().filter(({ task }) => !wentOn(ledger.stateOf(task)))
  if (queue.records === undefined) return here
  const asking = await queue.records.asking()
  // Of what is asked here, what no machine has told of yet: the task is just being settled, or came from another queue.
  const told = new Set((await queue.records.of(here.map(({ task }) => task))).map(({ task }) => task))
  const elsewhere = asking
    .filter(({ state }) => !wentOn(state))
    .flatMap((record) => knownAnywhere(ledger, record).questions.filter(isOpen))
  return [...elsewhere, ...here.filter(({ task }) => !told.has(task))].sort((a, b) => a.askedAt - b.askedAt)
}

/**
 * The newest open one of the task is answered, for whichever machine goes on with it. `here`: an agent of this home had
 * asked it, and its ledger knows the answer too. undefined: there was none.
 */
export async function answerQuestion(
  { queue, ledger }: Stores,
  task: string,
  given: { text: string; by: string; at: number },
): Promise<{ readonly question: Question; readonly here: boolean } | undefined> {
  const record = await queue.records?.change(task, (current) => current && withAnswer(current, given))
  const answered = record?.questions.findLast(
    ({ answeredAt, answer }) => answeredAt === given.at && answer === given.text,
  )
  if (answered === undefined) {
    const question = ledger.answer(task, given)
    return question && { question, here: true }
  }
  const here = ledger.questionsOf(task).findLast(isOpen)?.run === answered.run
  if (here) ledger.answer(task, given)
  return { question: answered, here }
}

/** A person changes what is remembered of a task: here, and wherever it goes. */
export async function changeState(
  { queue, ledger }: Stores,
  task: string,
  change: (before: TaskState) => TaskState,
): Promise<void> {
  const own = ledger.together(() => {
    const state = change(ledger.stateOf(task))
    ledger.saveState(state)
    return state
  })
  await queue.records?.change(task, (current) =>
    current === undefined
      ? mergedRecord(current, {
          task,
          host: '',
          machine: '',
          state: own,
          next: null,
          questions: ledger.questionsOf(task),
        })
      : { ...current, state: change(current.state) },
  )
}
