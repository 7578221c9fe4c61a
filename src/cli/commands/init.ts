import { queueName, queueUsage } from '../../config/kinds.ts'
import { AppError } from '../../errors.ts'
import { makeHome } from '../../home/make.ts'
import { version } from '../../version.ts'
import { settingsInForce } from '../../views/configuration.ts'
import { permissionsHere } from '../../views/permissions.ts'
import type { Command } from '../command.ts'
import { moveLines } from '../render/move.ts'
import { takenOverLines } from '../render/taken-over.ts'

export const init: Command = {
  name: 'init',
  summary: 'make the home; safe to run again',
  usage: `[--force] [--queue ${queueUsage}]`,
  about: `Makes the home: $FLEET_HOME, by default ~/.fleet. Safe to run again: existing files stay as they are.
Where a usable bd is on PATH the tasks are kept in a beads database of the home's own, otherwise in fleet.db.
A home of the Python fleet is taken over with its tasks, settings, failures and questions.
--force repairs: permissions, missing files and folders, the queue's own set-up. It never deletes a task.`,
  flags: [
    { name: 'force', kind: 'switch', help: 'repair the existing home' },
    {
      name: 'queue',
      kind: 'text',
      help: `where the tasks are kept: ${queueName.expected}`,
      value: 'queue',
    },
  ],
  async run({ home, flags, args, env, print, warn }) {
    if (args.length > 0) throw new AppError('usage', `fleet init takes no arguments, got ${JSON.stringify(args[0])}`)
    const asked = flags.text('queue')
    if (asked !== undefined) refuseOther(asked)
    const { config, queue, why, loose, takenOver, moveTo } = await makeHome(home, {
      repair: flags.on('force'),
      ...(asked === undefined ? {} : { queue: asked }),
      env,
    })
    print(`Fleet home initialized at ${home.path}`)
    if (takenOver !== undefined) for (const line of takenOverLines(takenOver)) print(line)
    if (moveTo === undefined) print(`queue: ${queue} (${why})`)
    else {
      const { migrate } = await import('../../migration/migrate.ts')
      const moved = await migrate(home, { to: moveTo, dryRun: false, env, version, now: Date.now(), step: () => {} })
      for (const line of moveLines(moved)) print(line)
      print(`queue: ${moved.to.kind === 'postgres' ? moved.to.location : moved.to.kind} (as asked)`)
    }
    print(`permissions: ${permissionsHere(config.permissions)}`)
    const { warning } = await settingsInForce(home)
    if (warning !== undefined) warn(warning)
    if (loose.length > 0)
      warn(
        `Others may read ${loose.length === 1 ? loose[0] : `${loose.length} files of the home`}: fleet init --force repairs that`,
      )
  },
}

function refuseOther(queue: string): void {
  if (queueName.read(queue) !== undefined) return
  throw new AppError('usage', `--queue is ${JSON.stringify(queue)}, expected ${queueName.expected}`)
}
