import { type Told, tell as tellTask } from '../../actions/tell.ts'
import { AppError } from '../../errors.ts'
import { readInput } from '../../platform/terminal/input.ts'
import { messageJson } from '../../views/json/message.ts'
import { actionContext } from '../action-context.ts'
import type { Call, Command } from '../command.ts'
import { textFrom } from '../letter.ts'
import { WAY_ON } from '../render/attention.ts'

export const tell: Command = {
  name: 'tell',
  summary: 'tell the agent of a task something, also while it works',
  usage: '<id> <text> [--now] [--json]',
  about: `Tells the agent of a task something. An agent at work reads it before its next tool, or when it wants to end its turn:
it cannot finish without having read it. That takes claude or codex; other coders read it in their next prompt, and an
attempt that ends before that goes on. The message is also a comment on the task, so an agent that is not running reads it
in its next prompt, and nothing is lost. fleet show says when it was delivered, and before which tool.

--now does not wait for the next tool: it interrupts the turn, and the agent goes on in its session with the message. No
attempt is counted. With '-' or --file the text is read from standard input or a file.`,
  examples: [
    'fleet tell fleet-a1b "Use the new name: Cart, not Basket"',
    'fleet tell a1b --now "Stop: that is the production database"',
    'fleet tell a1b - < review.md',
  ],
  flags: [
    { name: 'now', kind: 'switch', help: 'interrupt the turn of the agent for it' },
    { name: 'file', kind: 'text', value: 'path', help: 'read the text from a file' },
    { name: 'json', kind: 'switch', help: 'the message and its state as JSON' },
  ],
  async run(call) {
    const [id, ...words] = call.args
    const path = call.flags.text('file')
    if (id === undefined || (words.length === 0) === (path === undefined)) {
      throw new AppError('usage', 'fleet tell takes a task id, and the text once', {
        hint: 'fleet tell <id> "<what it should know>"',
      })
    }
    const text = path === undefined ? textFrom(words) : readInput(path)
    const told = await tellTask(actionContext(call), { task: id, text, now: call.flags.on('now') })
    if (call.flags.on('json')) return call.answer(toldJson(told))
    print(call, told)
  },
}

function print({ print, warn }: Call, told: Told): void {
  const { message, unattended } = told
  print(`Told ${message.task}${told.machine === undefined ? '' : ` on ${told.machine}`}${toldText(told)}`)
  if (unattended === true) warn('warning: no supervisor is running, which hands it over: fleet run start')
}

function toldText({ message: { task }, reach, machine, ended, blocked, idle }: Told): string {
  if (ended !== undefined) {
    const goesOn = reach === 'interrupted' ? 'It goes on with the message.' : 'It reads the message in its next prompt.'
    return `: ${ended}. ${goesOn}${wayText(task, blocked)}`
  }
  if (machine !== undefined) return ', which hands it to its agent.'
  if (idle === true) return `: it is not running, and reads it in its next prompt.${wayText(task, blocked)}`
  const when = reach === 'at-work' ? 'before its next tool, or at the end of its turn' : 'in its next prompt'
  return `: its agent reads it ${when}. fleet show ${task} says when.`
}

function wayText(task: string, blocked: Told['blocked']): string {
  if (blocked === undefined) return ''
  if (blocked === 'question') return ` It waits for an answer: fleet answer ${task} "..."`
  return ` It is blocked: ${WAY_ON[blocked](task)}`
}

function toldJson({ message, reach, machine, ended }: Told): Record<string, unknown> {
  return {
    task: message.task,
    ...messageJson(message),
    reach,
    ...(machine === undefined ? {} : { machine }),
    ...(ended === undefined ? {} : { answer: ended }),
  }
}
