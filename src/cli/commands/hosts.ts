import { AppError } from '../../errors.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import { hostsOf } from '../../views/hosts.ts'
import { hostsJson } from '../../views/json/hosts.ts'
import type { Command } from '../command.ts'
import { hostsLines, hostsText } from '../render/hosts.ts'
import { painted } from '../render/painted.ts'

export const hosts: Command = {
  name: 'hosts',
  summary: 'the machines that share the queue, and what each is doing',
  usage: '[--json]',
  about: `The supervisors that work on this queue: whether each is online, its slots, and the tasks it runs. If the queue is on a
server (fleet init --queue postgres://…), each machine runs its own supervisor, which sends a heartbeat every few
seconds; without one for 15 seconds a machine is offline. It loses its tasks only when their leases run out; then other
machines continue them.
A machine is called by its host name, or as [hosts] name in runtime.toml says, and may have labels. A task that was
made with --on runs only where one of these fits.`,
  examples: [
    'fleet hosts',
    'fleet config set hosts.name=build-3 \'hosts.labels=["linux", "gpu"]\'',
    'fleet bd create "Train it" --on gpu',
    "fleet hosts --json | jq -r '.hosts[] | select(.here) | .name'",
  ],
  flags: [{ name: 'json', kind: 'switch', help: 'one JSON document: shared, and hosts with the tasks of each' }],
  async run(call) {
    const { home, flags, args, env } = call
    if (args.length > 0) throw new AppError('usage', `fleet hosts takes no arguments, got ${JSON.stringify(args[0])}`)
    const view = await hostsOf(home)
    const screen = terminal(env)
    if (flags.on('json')) call.answer(hostsJson(view))
    else if (screen === undefined) call.print(hostsText(view))
    else call.show(painted(hostsLines(view, screen.columns), screen))
  },
}
