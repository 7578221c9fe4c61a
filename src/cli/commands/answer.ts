import { join } from 'node:path'
import { actorFrom, type HomeStore, openHomeStore } from '../../app.ts'
import { isOpen } from '../../domain/fleet/shared-record.ts'
import type { Question } from '../../domain/run/run.ts'
import type { Task } from '../../domain/task/task.ts'
import { AppError } from '../../errors.ts'
import { isTyped } from '../../platform/terminal/terminal.ts'
import { appendAnswer } from '../../store/questions-file.ts'
import { findTask } from '../../views/find-task.ts'
import { type Asked, answerQuestion, knownOf } from '../../views/known.ts'
import type { Call, Command } from '../command.ts'
import { isFromInput, spokenText } from '../letter.ts'
import { questionLines } from '../render/questions.ts'

export const answer: Command = {
  name: 'answer',
  summary: "answer an agent's question; its task goes on",
  usage: '<id> [text]',
  about: `Answers the open question of a task and opens the task again: the next attempt goes on with the answer. Without
text, or with '-', the answer is read from standard input.`,
  examples: ['fleet answer fleet-a1b "Use SQLite"', 'fleet answer a1b - < answer.md'],
  flags: [],
  async run(call) {
    const [id, ...words] = call.args
    if (id === undefined) {
      throw new AppError('usage', 'fleet answer takes a task id and the answer', {
        hint: 'fleet questions shows what is asked',
      })
    }
    const by = actorFrom(call.env, undefined)
    await using store = await openHomeStore(call.home)
    const task = await findTask(store.queue, id)
    const open = (await knownOf(store, [task.id]))(task.id).questions.filter(isOpen)
    const newest = open.at(-1)
    if (newest === undefined) throw nothingAsked(task)
    const text = answerText(call, words, { question: newest, title: task.title })
    const answered = await answerQuestion(store, task.id, { text, by, at: Date.now() })
    if (answered === undefined) throw nothingAsked(task)
    // Any other machine writes it down when it goes on with the task.
    if (answered.here) writeDown(call, answered.question)
    if (open.length > 1) {
      const more = open.length - 1
      call.print(
        `Answered. ${task.id} has ${more} more ${more === 1 ? 'question' : 'questions'} and waits on: fleet questions`,
      )
    } else call.print(await reopened(store, task.id, by))
  },
}

function nothingAsked({ id, status }: Task): AppError {
  return new AppError('conflict', `${id} has no open question`, {
    hint:
      status === 'blocked'
        ? `fleet show ${id} says why it is blocked; fleet retry ${id} starts it again`
        : `it is ${status}; fleet bd comment ${id} "<text>" leaves word`,
  })
}

function answerText(call: Call, words: readonly string[], asked: Asked): string {
  if (words.length === 0) for (const line of questionLines(asked, Date.now()).slice(0, -1)) call.warn(line)
  const spoken = words.length === 0 ? ['-'] : words
  if (isFromInput(spoken) && isTyped()) call.warn('type the answer, end with Ctrl-D on a line of its own')
  const text = spokenText(spoken)
  if (text !== '') return text
  throw new AppError('usage', 'the answer is empty', { hint: `fleet answer ${asked.question.task} "<text>"` })
}

/** The ledger has it already, so a file that cannot be written is a warning. */
function writeDown({ home, warn }: Call, { task, answer: text, answeredAt }: Question): void {
  try {
    appendAnswer(join(home.task(task), 'artifacts'), { text: text ?? '', at: answeredAt ?? 0 })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    warn(`warning: ${error.message}`)
  }
}

/** Only from where the question put it: somebody may have closed or taken it meanwhile. The old run is fenced off. */
async function reopened({ queue }: HomeStore, id: string, by: string): Promise<string> {
  const change = { status: 'open', assignee: '' }
  const result = await queue.amend(id, { change, expect: { status: 'blocked' }, force: true }, by)
  if (result.kind === 'amended') return `Answered. ${id} is open again.`
  const status = result.kind === 'mismatch' ? result.is : result.kind
  return `Answered. ${id} is ${status} and stays so; its next attempt gets the answer.`
}
