import { ambiguity } from '../../../domain/task/ambiguous-id.ts'
import { type Version, versionsOf } from '../../../domain/task/versions.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { statusIcon } from '../../render/bd/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { exactly } from '../parts/arguments.ts'
import { eventJson, eventLines } from '../parts/history-events.ts'

export const history: BdCommand = {
  name: 'history',
  summary: 'Show version history for an issue',
  usage: '<id> [flags]',
  about: `Show every recorded change of an issue, newest first, each with what the issue then was. A deleted issue keeps its
history, under its whole id.`,
  examples: [
    'fleet bd history fleet-a1b --limit 5',
    'fleet bd history fleet-a1b --events   # what was changed, by whom',
  ],
  flags: [
    { name: 'limit', kind: 'number', help: 'Limit number of history entries (0 = all)', default: '0' },
    { name: 'events', kind: 'switch', help: 'Show what was changed instead of what it then was' },
  ],
  reads: true,
  async run(call) {
    const [typed] = exactly(call, 1) as [string]
    const match = await call.store.resolve(typed)
    if (match.kind === 'ambiguous') throw new BdFailure(ambiguity(typed, match.ids))
    const id = match.kind === 'found' ? match.id : typed
    const all = versionsOf(await call.store.get(id), await call.store.history(id))
    const limit = call.flags.number('limit') ?? 0
    const versions = limit > 0 ? all.slice(0, limit) : all
    const events = call.flags.on('events')
    if (call.json) return answer(call, versions, events)
    const kind = events ? 'History events' : 'History'
    if (versions.length === 0) return call.print(`No ${kind.toLowerCase()} found for issue ${plainLine(typed)}`)
    const entries = versions.map((version) => (events ? eventLines(version) : versionLines(version)).join('\n'))
    call.print(`\n📜 ${kind} for ${id} (${versions.length} entries)\n\n${entries.join('\n\n')}\n`)
  },
}

/** bd prints `null`, not `[]`, for an empty history. */
function answer(call: BdCall, versions: readonly Version[], events: boolean): void {
  call.answer(versions.length === 0 ? null : versions.map(events ? eventJson : versionJson))
}

/** fleet has no commits; the change number takes the place of a commit hash. */
function changeNumber({ entry }: Version): string {
  return String(entry.seq).padStart(8, '0')
}

function versionJson(version: Version): Record<string, unknown> {
  const { entry, after } = version
  return {
    CommitHash: changeNumber(version),
    Committer: entry.actor,
    CommitDate: entry.at,
    ...(after === undefined ? {} : { Issue: issueJson(after) }),
  }
}

function versionLines(version: Version): string[] {
  const { entry, after: task } = version
  return [
    `${changeNumber(version)} ${entry.at.slice(0, 19).replace('T', ' ')}`,
    `  Author: ${plainLine(entry.actor)}`,
    ...(task === undefined
      ? []
      : [
          `  ${statusIcon(task.status)} ${task.id}: ${plainLine(task.title)} [P${task.priority} - ${plainLine(task.status)}]`,
        ]),
  ]
}
