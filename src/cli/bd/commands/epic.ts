import type { BdCommand } from '../command.ts'
import { commandHelp } from '../help.ts'
import { closeEligible } from './epic-close.ts'
import { epicStatus } from './epic-status.ts'

export const epic: BdCommand = {
  name: 'epic',
  summary: 'Epic management commands',
  usage: '[command]',
  flags: [],
  subcommands: [epicStatus, closeEligible],
  async run(call) {
    call.print(commandHelp(epic, ['epic']).trimEnd())
  },
}
