import { mapStrings } from '../../domain/text/redact.ts'
import { AppError } from '../../errors.ts'
import { logDocuments, newestLog } from '../../views/log-file.ts'
import { redaction } from '../../views/redaction.ts'
import type { Command } from '../command.ts'
import { followFile, showFile } from '../follow/show-file.ts'

export const log: Command = {
  name: 'log',
  summary: "the supervisor's newest log, whole or its last lines",
  usage: '[N] [-f] [--json]',
  about: `The supervisor's newest log: whole, or its last N lines. Readable on a terminal; as it is, one JSON document a line,
for a program. With -f it keeps printing new lines, also those of the next day.`,
  examples: [
    'fleet log 50',
    'fleet log -f',
    `fleet log | jq -r 'select(.event == "run-ended") | "\\(.task) \\(.outcome)"'`,
  ],
  flags: [
    { name: 'follow', short: 'f', kind: 'switch', help: 'keep printing new lines' },
    { name: 'json', kind: 'switch', help: 'one JSON document: path, and lines' },
  ],
  async run(call) {
    const { home, flags, args, warn, answer } = call
    const last = lastLines(args)
    home.requireFolder()
    const showing = { journal: true, ...(last === undefined ? {} : { last }) }
    if (flags.on('follow')) {
      if (flags.on('json')) throw new AppError('usage', '--json is one document, and -f has no end')
      if (newestLog(home) === undefined) warn(`${NONE}; waiting for it`)
      return await followFile(call, () => newestLog(home), showing)
    }
    const path = newestLog(home)
    if (path === undefined) throw new AppError('not-found', NONE, { hint: 'fleet run starts a supervisor' })
    if (!flags.on('json')) return void (await showFile(call, path, showing))
    answer({ schema_version: 1, path, lines: mapStrings(logDocuments(path, last), await redaction(home, call.env)) })
  },
}

const NONE = 'there is no log yet: a supervisor writes it'

function lastLines([text, more]: readonly string[]): number | undefined {
  if (text === undefined) return undefined
  if (more !== undefined) throw new AppError('usage', `fleet log takes one number, got ${JSON.stringify(more)} too`)
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (count > 0) return count
  throw new AppError('usage', `fleet log ${JSON.stringify(text)}: expected how many lines, a number above 0`, {
    hint: 'for example: fleet log 50',
  })
}
