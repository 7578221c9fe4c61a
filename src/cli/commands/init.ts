import { permissionsLine } from '../../config/permissions.ts'
import { isPostgresUrl } from '../../domain/postgres-url.ts'
import { AppError } from '../../errors.ts'
import { findBd } from '../../home/bd.ts'
import { makeHome } from '../../home/make.ts'
import { account } from '../../platform/machine.ts'
import type { Command } from '../command.ts'

export const init: Command = {
  name: 'init',
  summary: 'make the home; safe to run again',
  usage: '[--force] [--queue local|postgres://...]',
  about: `Makes the home: $FLEET_HOME, by default ~/.fleet. Safe to run again: what is there is left as it is.
--force repairs: permissions, missing files and folders, the queue's own set-up. It never deletes a task.`,
  flags: [
    { name: 'force', kind: 'switch', help: 'repair what is there' },
    {
      name: 'queue',
      kind: 'text',
      help: 'where the tasks are kept: local, or a postgres:// URL (beads is not served yet)',
      default: 'local',
    },
  ],
  async run({ home, flags, args, env, print, warn }) {
    if (args.length > 0) throw new AppError('usage', `fleet init takes no arguments, got ${JSON.stringify(args[0])}`)
    const asked = flags.text('queue')
    if (asked !== undefined) refuseQueue(asked)
    const { config, queue, configured, loose } = await makeHome(home, {
      repair: flags.on('force'),
      ...(asked === undefined ? {} : { queue: asked }),
    })
    if (config.queue === 'beads') refuseQueue(config.queue)
    print(`Fleet home initialized at ${home.path}`)
    const why = asked !== undefined ? 'as asked' : configured ? 'as runtime.toml says' : await whyLocal(env)
    print(`queue: ${queue} (${why})`)
    print(`permissions: ${permissionsLine(config.permissions, account())}`)
    if (loose.length > 0)
      warn(
        `Others may read ${loose.length === 1 ? loose[0] : `${loose.length} files of the home`}: fleet init --force repairs that`,
      )
  },
}

async function whyLocal(env: NodeJS.ProcessEnv): Promise<string> {
  const bd = await findBd(env)
  if (bd.kind === 'usable') return `bd ${bd.version} is on PATH, but beads queues are not served yet`
  return 'kept in fleet.db, nothing else is needed'
}

function refuseQueue(queue: string): void {
  if (queue === 'local' || isPostgresUrl(queue)) return
  if (queue !== 'beads') {
    throw new AppError('usage', `--queue is ${JSON.stringify(queue)}, expected local, beads or a postgres:// URL`)
  }
  throw new AppError('unsupported', 'a beads queue is not served yet', {
    hint: 'nothing was changed; use fleet init --queue local',
  })
}
