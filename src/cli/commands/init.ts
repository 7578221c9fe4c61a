import { createLocalQueue } from '../../app.ts'
import { privateDirectory } from '../../platform/home.ts'
import type { Command } from '../command.ts'

export const init: Command = {
  name: 'init',
  summary: 'make the home; safe to run again',
  usage: '[--force] [--queue local]',
  flags: [],
  async run(call) {
    privateDirectory(call.home.path)
    privateDirectory(call.home.tasks)
    await createLocalQueue(call.home)
    call.print(`Fleet home initialized at ${call.home.path}`)
  },
}
