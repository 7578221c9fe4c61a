import type { Command } from '../command.ts'
import { tellSupervisor, textFrom } from '../letter.ts'

export const done: Command = {
  name: 'done',
  summary: 'an agent says that its task is done',
  usage: '[summary]',
  about: `For an agent, inside its run: says that the task is done. It is a claim: the supervisor looks for itself at what
was changed, and closes the task or says what is missing. '-' reads the summary from standard input.`,
  examples: ['fleet done "Login accepts long passwords; added a test"'],
  flags: [],
  async run(call) {
    const summary = textFrom(call.args)
    tellSupervisor(call, { kind: 'done', summary }, 'a person closes a task with fleet bd close <id>')
    call.print('Recorded. The supervisor checks the work when you exit; stop now.')
  },
}
