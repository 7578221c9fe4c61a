import { dirname } from 'node:path'
import type { BdCommand } from './command.ts'

export const where: BdCommand = {
  name: 'where',
  summary: 'Show the active queue location',
  usage: '[flags]',
  flags: [],
  reads: true,
  async run(call) {
    const path = dirname(call.store.location)
    if (call.json) return call.answer({ path, prefix: call.store.prefix, database_path: call.store.location })
    call.print(path)
    call.print(`  prefix: ${call.store.prefix}`)
    call.print(`  database: ${call.store.location}`)
  },
}
