import { queueName, queueUsage } from '../../config/kinds.ts'
import { AppError } from '../../errors.ts'
import { makeHome } from '../../home/make.ts'
import { permissionsHere } from '../../views/permissions.ts'
import type { Command } from '../command.ts'

export const init: Command = {
  name: 'init',
  summary: 'make the home; safe to run again',
  usage: `[--force] [--queue ${queueUsage}]`,
  about: `Makes the home: $FLEET_HOME, by default ~/.fleet. Safe to run again: existing files stay as they are.
Where a usable bd is on PATH the tasks are kept in a beads database of the home's own, otherwise in fleet.db.
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
    const { config, queue, why, loose } = await makeHome(home, {
      repair: flags.on('force'),
      ...(asked === undefined ? {} : { queue: asked }),
      env,
    })
    print(`Fleet home initialized at ${home.path}`)
    print(`queue: ${queue} (${why})`)
    print(`permissions: ${permissionsHere(config.permissions)}`)
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
