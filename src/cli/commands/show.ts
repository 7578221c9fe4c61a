import { AppError } from '../../errors.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import { changeWarning } from '../../views/configuration.ts'
import { taskJson } from '../../views/json/task.ts'
import { type TaskView, taskView, taskViewWithIssue } from '../../views/task.ts'
import type { Command } from '../command.ts'
import { painted } from '../render/painted.ts'
import { shownLines } from '../render/show.ts'

export const show: Command = {
  name: 'show',
  summary: 'one task: what it is, its attempts, and why it is not running',
  usage: '<id> [--json]',
  about: `One task: what it is, where it runs, with which coder and model, its open question, its attempts with outcome,
tokens and cost, what its agents noted, and why it is not running if it is not. While it runs: the tool that is open,
what the agent said last, how full its context is, and for how long it has been silent.
A sum marked + lacks the share of an attempt whose tokens or cost are unknown. Values that were not given on the task itself are marked (default).`,
  examples: ['fleet show fleet-a1b', 'fleet show a1b --json | jq .fleet'],
  flags: [{ name: 'json', kind: 'switch', help: "bd's show document in its envelope, and a fleet object beside it" }],
  async run(call) {
    const { home, flags, args, env, warn, answer } = call
    const [text, more] = args
    if (text === undefined || more !== undefined) {
      throw new AppError('usage', `fleet show takes one task id${more === undefined ? '' : `, got ${args.length}`}`, {
        hint: 'fleet bd list shows the ids',
      })
    }
    const waiting = changeWarning(home)
    if (waiting !== undefined) warn(waiting)
    const warnings = ({ configurationProblem: problem }: TaskView) => {
      if (problem !== undefined) warn(`warning: ${problem}`)
    }
    if (flags.on('json')) {
      const shown = await taskViewWithIssue(home, text)
      warnings(shown.view)
      return answer(taskJson(shown))
    }
    const view = await taskView(home, text)
    warnings(view)
    const screen = terminal(env)
    call.show(painted(shownLines(view, screen?.columns), screen ?? { colour: false }))
  },
}
