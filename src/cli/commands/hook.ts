import { callHook } from '../../actions/call-hook.ts'
import { HOOK_EVENTS } from '../../domain/agent/hook.ts'
import { AppError } from '../../errors.ts'
import { readInput } from '../../platform/terminal/input.ts'
import type { Command } from '../command.ts'

export const hook: Command = {
  name: 'hook',
  summary: 'a coder calls it at its hooks, inside a run',
  usage: '<event>',
  about: `For a coder's hooks, inside a run: reads the call from standard input, and prints in the format of claude's hooks what fleet has to
say to the agent. fleet adds the hooks to claude and codex for each run by itself; they call this command only while there is
something to say, and before each tool of a task with a scope. A hook that fails lets the call pass; with a scope it refuses it.`,
  examples: ['fleet hook PreToolUse', 'fleet hook Stop'],
  flags: [],
  async run({ args, home, env, print }) {
    const event = HOOK_EVENTS.find((each) => each === args[0])
    if (event === undefined || args.length > 1) {
      throw new AppError('usage', `fleet hook knows the events ${HOOK_EVENTS.join(' and ')}`, {
        hint: 'fleet hook Stop',
      })
    }
    callHook({ home, env, event, told: readInput('-'), print })
  },
}
