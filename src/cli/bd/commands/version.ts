import { version as fleetVersion } from '../../../version.ts'
import type { BdCommand } from '../command.ts'

/** The bd version that fleet is compatible with, for tools that probe it. */
const LANGUAGE = '1.3.0'

export const version: BdCommand = {
  name: 'version',
  summary: 'Print version information',
  usage: '[flags]',
  about: "Print the version of bd's language that fleet serves, and fleet's own.",
  flags: [],
  async run(call) {
    const build = `fleet ${fleetVersion}`
    if (call.json) call.answer({ version: LANGUAGE, build })
    else call.print(`bd version ${LANGUAGE} (${build})`)
  },
}
