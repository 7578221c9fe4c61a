import { acceptChanges, revertChanges } from '../../actions/decide-changes.ts'
import { changeDiff } from '../../views/change-diff.ts'
import { homeChanges } from '../../views/home-changes.ts'
import { type Decided, decidedJson } from '../../views/json/home-changes.ts'
import type { Call, Command } from '../command.ts'
import { decidedLines } from '../render/changes.ts'

const JSON_FLAG = {
  name: 'json',
  kind: 'switch',
  help: 'one JSON document: files, each with its decision and difference',
} as const

export const accept: Command = {
  name: 'accept',
  summary: 'take in a file that was changed while agents ran',
  usage: '[<file>...] [--dry-run] [--json]',
  about: `A runtime.toml, a file in coders/, or your configuration of git (~/.gitconfig and what it includes) that was changed
while agents ran is not in force for fleet: an agent can have changed it.
This shows the difference, secrets masked, and takes it in: exactly what it shows. A running supervisor needs no restart.
Without a file: all that wait.`,
  examples: ['fleet config accept --dry-run', 'fleet config accept', 'fleet config accept coders/mine.mjs'],
  flags: [{ name: 'dry-run', kind: 'switch', help: 'only show the difference' }, JSON_FLAG],
  async run(call) {
    const { home, args, flags } = call
    if (flags.on('dry-run')) {
      const changes = await homeChanges(home)
      const wanted = args.length === 0 ? changes : changes.filter(({ path }) => args.includes(path))
      return tell(call, await Promise.all(wanted.map(async (change) => decided(change, null))))
    }
    const accepted = await acceptChanges({ home, files: args })
    tell(call, await Promise.all(accepted.map(async (change) => decided(change, 'accepted'))))
  },
}

export const revert: Command = {
  name: 'revert',
  summary: 'undo a change that was made while agents ran',
  usage: '[<file>...] [--json]',
  about: `Puts a runtime.toml, a file in coders/, or your configuration of git that was changed while agents ran back as it
was, and keeps the changed one beside it as <file>.refused. Without a file: all that wait.`,
  examples: ['fleet config revert', 'fleet config revert runtime.toml'],
  flags: [JSON_FLAG],
  async run(call) {
    const reverted = await revertChanges({ home: call.home, files: call.args })
    tell(call, await Promise.all(reverted.map(async (each) => decided(each, 'reverted', each.keptAs))))
  },
}

async function decided(
  change: Decided['change'],
  decision: Decided['decision'],
  keptAs?: string | undefined,
): Promise<Decided> {
  return { change, diff: await changeDiff(change), decision, keptAs }
}

function tell({ flags, print, answer }: Call, all: readonly Decided[]): void {
  const lines = all.length === 0 ? ['Nothing waits for a decision.'] : all.flatMap(decidedLines)
  if (flags.on('json')) answer(decidedJson(all))
  else for (const line of lines) print(line)
}
