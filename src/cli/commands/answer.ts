import { type Answered, answerTask, nothingAsked } from '../../actions/answer.ts'
import { numberedOption } from '../../domain/agent/numbered-option.ts'
import { plainLine } from '../../domain/text/plain.ts'
import { AppError } from '../../errors.ts'
import { isTyped } from '../../platform/terminal/terminal.ts'
import { questionsOf } from '../../views/questions.ts'
import { actionContext } from '../action-context.ts'
import type { Call, Command } from '../command.ts'
import { isFromInput, textFrom } from '../letter.ts'
import { questionLines } from '../render/questions.ts'

export const answer: Command = {
  name: 'answer',
  summary: "answer an agent's question; its task continues",
  usage: '<id> [text|number]',
  about: `Answers the open question of a task and opens the task again: the next attempt continues with the answer. Without
text, or with '-', the answer is read from standard input. A number stands for the option of that number, unless an
option reads so itself; what is read from standard input is taken as it is.`,
  examples: ['fleet answer fleet-a1b 2', 'fleet answer fleet-a1b "Use SQLite"', 'fleet answer a1b - < answer.md'],
  flags: [],
  async run(call) {
    const [id, ...words] = call.args
    if (id === undefined) {
      throw new AppError('usage', 'fleet answer takes a task id and the answer', {
        hint: 'fleet questions lists the open questions',
      })
    }
    const text =
      words.length === 0 || isFromInput(words) ? await inputFor(call, id, words) : await meant(call, id, words)
    const answered = await answerTask(actionContext(call), { task: id, text })
    if (answered.fileProblem !== undefined) call.warn(`warning: ${answered.fileProblem}`)
    call.print(answeredText(answered))
  },
}

/** The words of the command line; a number stands for the option of that number. */
async function meant({ home, print }: Call, id: string, words: readonly string[]): Promise<string> {
  const typed = words.join(' ').trim()
  if (!/^\d+$/.test(typed)) return typed
  const { open } = await questionsOf(home, id)
  const text = numberedOption(typed, open.at(-1)?.options ?? [])
  if (text !== typed) print(`${typed}) ${plainLine(text)}`)
  return text
}

/** Reads standard input, once a question is known to be open; without words the question is shown first. */
async function inputFor(call: Call, id: string, words: readonly string[]): Promise<string> {
  const { task, open } = await questionsOf(call.home, id)
  const question = open.at(-1)
  if (question === undefined) throw nothingAsked(task)
  if (words.length === 0) {
    for (const line of questionLines({ question, title: task.title }, Date.now()).slice(0, -1)) call.warn(line)
  }
  if (isTyped()) call.warn('type the answer, end with Ctrl-D on a line of its own')
  return textFrom(['-'])
}

function answeredText(answered: Answered): string {
  const { task } = answered
  switch (answered.kind) {
    case 'reopened':
      return `Answered. ${task} is open again.`
    case 'more-questions': {
      const { open } = answered
      return `Answered. ${task} still waits for ${open} more ${open === 1 ? 'answer' : 'answers'}: fleet questions`
    }
    case 'left-as-is':
      return `Answered. ${task} is ${answered.status} and stays so; its next attempt gets the answer.`
  }
}
