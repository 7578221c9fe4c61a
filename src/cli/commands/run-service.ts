import {
  type DoneService,
  installService,
  type PlannedService,
  planService,
  uninstallService,
} from '../../actions/install-service.ts'
import { AppError, EXIT } from '../../errors.ts'
import { askLine } from '../../platform/terminal/line.ts'
import { isTyped, terminals } from '../../platform/terminal/terminal.ts'
import type { Call, Command } from '../command.ts'
import { thisProgram } from '../program.ts'

export const install: Command = {
  name: 'install',
  summary: 'start the supervisor after a reboot: a systemd user unit, or a launchd agent',
  usage: '[--yes] [--print]',
  about: `Shows the service file, asks, writes it, and switches it on. On Linux that is a unit of your own systemd
(~/.config/systemd/user), on macOS a launchd agent (~/Library/LaunchAgents). It names this fleet, this Node and your PATH as they
are now: run it again when they have changed. Agents outlive the supervisor there as everywhere else.`,
  examples: ['fleet run install --print', 'fleet run install', 'fleet run install --yes'],
  flags: [
    { name: 'yes', kind: 'switch', help: 'write it without asking' },
    { name: 'print', kind: 'switch', help: 'print the file, and write nothing' },
  ],
  async run(call) {
    noArguments(call, 'install')
    call.home.require()
    const setting = { home: call.home, env: call.env, program: thisProgram() }
    const planned = planService(setting)
    if (call.flags.on('print')) {
      call.print(planned.text.trimEnd())
      return 0
    }
    if (!planned.isWritten && !(await isWanted(call, planned))) {
      call.print('Nothing was written.')
      return EXIT.failed
    }
    const done = await installService(setting, planned)
    const { path } = done.service
    call.print(planned.isWritten ? `${path} is as it should be` : `Wrote ${path}`)
    return ended(call, done, 'it starts the supervisor from now on')
  },
}

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'take the service away again',
  usage: '',
  about: 'Switches the service off and removes its file. On Linux a running supervisor goes on until fleet run stop.',
  flags: [],
  async run(call) {
    noArguments(call, 'uninstall')
    const done = await uninstallService({ home: call.home, env: call.env, program: thisProgram() })
    if (done === undefined) {
      call.print('No service is installed for this home.')
      return 0
    }
    call.print(`Removed ${done.service.path}`)
    return ended(call, done, 'nothing starts the supervisor by itself any more')
  },
}

/** A file that starts programs is not written before a person has seen it. */
async function isWanted(call: Call, { service, text, commands }: PlannedService): Promise<boolean> {
  if (call.flags.on('yes')) return true
  if (!isTyped() || !terminals().out) {
    throw new AppError('usage', `fleet run install writes ${service.path} only when somebody has said yes`, {
      hint: 'fleet run install --print shows it, --yes writes it',
    })
  }
  call.print(`${service.path}:\n`)
  call.print(text)
  call.print(commands.install.map((words) => `then: ${words.join(' ')}`).join('\n'))
  const answer = await askLine('Write it? [y/N] ')
  return /^y(es)?$/i.test(answer?.trim() ?? '')
}

function ended(call: Call, { service, user, problem }: DoneService, effect: string): number {
  if (problem !== undefined) {
    call.warn(`fleet: ${problem}`)
    return EXIT.failed
  }
  call.print(effect)
  if (service.kind === 'systemd' && effect.startsWith('it starts')) {
    call.print(
      `It runs while you are logged in. To run it from the start of the machine on: loginctl enable-linger ${user}`,
    )
  }
  return 0
}

function noArguments({ args }: Call, name: string): void {
  if (args.length > 0)
    throw new AppError('usage', `fleet run ${name} takes no arguments, got ${JSON.stringify(args[0])}`)
}
