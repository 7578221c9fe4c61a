import { landTasks } from '../../actions/land.ts'
import { mapStrings } from '../../domain/text/redact.ts'
import { AppError } from '../../errors.ts'
import { landingsJson } from '../../views/json/landings.ts'
import { waitingLandings } from '../../views/landings.ts'
import { redaction } from '../../views/redaction.ts'
import { actionContext } from '../action-context.ts'
import type { Call, Command } from '../command.ts'
import { landingLines } from '../render/landings.ts'

export const land: Command = {
  name: 'land',
  summary: 'bring the work of worktrees onto its target branch; or what waits for that, and why',
  usage: '[<id>... [--trust]] [--json]',
  about: `Without an id: the tasks whose work waits to land on its target branch, oldest first, and what each waits for. With ids:
these may land (land = manual asks for it), and what had to wait is tried again at once.

The supervisor brings the work onto the tip of the target, runs the project's checks on that tree, and only then moves the
target. A conflict or a red tree goes back to the agent of its task. --trust lets hooks, filters and configuration of the
repository run as they are now, after they were changed while agents ran; look first at those that fleet land
names. It is refused if they have changed since.`,
  examples: ['fleet land', 'fleet land fleet-a1b', 'fleet land fleet-a1b --trust'],
  flags: [
    {
      name: 'trust',
      kind: 'switch',
      help: 'the hooks, filters and configuration of the repository may run as they are now',
    },
    { name: 'json', kind: 'switch', help: 'one JSON document: what waits; the tasks that may land' },
  ],
  async run(call) {
    const { args, flags } = call
    if (args.length === 0) {
      if (flags.on('trust'))
        throw new AppError('usage', '--trust needs the id of a task', { hint: 'fleet land <id> --trust' })
      return await list(call)
    }
    const { tasks, isSupervised } = await landTasks(actionContext(call), args, { trust: flags.on('trust') })
    if (flags.on('json')) return call.answer({ schema_version: 1, tasks, supervisor: isSupervised })
    const when = isSupervised ? 'lands when it is its turn' : 'lands when a supervisor runs: fleet run'
    for (const task of tasks) call.print(`${task} ${when}`)
  },
}

async function list(call: Call): Promise<void> {
  const waiting = mapStrings(await waitingLandings(call.home), await redaction(call.home, call.env))
  if (call.flags.on('json')) return call.answer(landingsJson(waiting))
  if (waiting.length === 0) return call.print('Nothing waits to land.')
  const now = Date.now()
  call.print(waiting.map((each) => landingLines(each, now).join('\n')).join('\n\n'))
}
