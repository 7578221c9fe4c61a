import { collectGarbage } from '../../actions/collect-garbage.ts'
import { durationMs } from '../../domain/text/duration.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import { AppError } from '../../errors.ts'
import type { Command } from '../command.ts'

export const gc: Command = {
  name: 'gc',
  summary: 'remove raw output of old attempts and worktrees that have landed, and say what that freed',
  usage: '[--older-than 30d] [--dry-run] [--json]',
  about: `Applies [retention] of runtime.toml now; a supervisor does it by itself once an hour. The output of attempts whose
run is settled, of their setup, checks and landings, and the events of their tasks are compressed after compress_after, and
removed after remove_after or the age that --older-than gives, with prompts and launch records; so are the supervisor's old
log files, and temporary folders that a killed fleet left. Receipts, plans, knowledge, questions, letters and everything of a
run that is not settled stay. The worktrees of closed tasks are removed with their branches
if their work has landed, or is none; what is nowhere else stays, and is named. fleet task reads compressed output as before.`,
  examples: ['fleet gc --dry-run', 'fleet gc --older-than 30d'],
  flags: [
    { name: 'older-than', kind: 'text', help: 'remove raw output of attempts that ended so long ago, such as 30d' },
    { name: 'dry-run', kind: 'switch', help: 'change nothing, only say what would be done' },
    { name: 'json', kind: 'switch', help: 'one JSON document' },
  ],
  async run(call) {
    const given = call.flags.text('older-than')
    const olderThan = given === undefined ? undefined : durationMs(given)
    if (given !== undefined && olderThan === undefined) {
      throw new AppError('usage', `--older-than ${JSON.stringify(given)} is no duration`, {
        hint: 'such as 30d or 12h',
      })
    }
    if (call.args.length > 0) throw new AppError('usage', 'fleet gc takes no task ids')
    const dryRun = call.flags.on('dry-run')
    const { worktrees, stuck, ...freed } = await collectGarbage(call.home, { olderThan, dryRun, now: Date.now() })
    if (call.flags.on('json')) return call.answer({ schema_version: 1, dry_run: dryRun, ...freed, worktrees, stuck })
    for (const { path, why } of stuck) call.warn(`${path} cannot be deleted (${why}); delete it by hand`)
    const { compressed, removed, logs, leftovers, bytes, skipped } = freed
    if (skipped > 0) call.warn(`${pluralize(skipped, 'task')} left alone: the folder cannot be read or changed`)
    const parts = [
      `${pluralize(compressed, 'file')} compressed`,
      `${pluralize(removed + logs, 'file')} removed`,
      `${pluralize(leftovers, 'temporary folder')} removed`,
      ...(worktrees.removed.length === 0 ? [] : [`${pluralize(worktrees.removed.length, 'worktree')} removed`]),
    ]
    const size = bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.round(bytes / 1000)} kB`
    for (const { task, path, why } of worktrees.kept) call.print(`Kept ${path} of ${task}: ${why}.`)
    call.print(`${dryRun ? 'Would be done: ' : ''}${parts.join(', ')}${dryRun ? '.' : `: ${size} freed.`}`)
  },
}
