import { dirname } from 'node:path'
import { isPostgresUrl } from '../../../domain/queue/postgres-url.ts'
import type { BdCommand } from '../command.ts'

export const where: BdCommand = {
  name: 'where',
  summary: 'Show the active queue location',
  usage: '[flags]',
  flags: [],
  reads: true,
  async run(call) {
    const { location, prefix } = call.store
    const path = isPostgresUrl(location) ? location : dirname(location)
    if (call.json) return call.answer({ path, prefix, database_path: location })
    call.print(path)
    call.print(`  prefix: ${prefix}`)
    call.print(`  database: ${location}`)
  },
}
