import { queueKind } from '../../app.ts'
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
  usage: '[--force] [--queue local|beads]',
  about: `Makes the home: $FLEET_HOME, by default ~/.fleet. Safe to run again: what is there is left as it is.
Where a usable bd is on PATH the tasks are kept in a beads database of the home's own, otherwise in fleet.db.
--force repairs: permissions, missing files and folders, the queue's own set-up. It never deletes a task.`,
  flags: [
    { name: 'force', kind: 'switch', help: 'repair what is there' },
    {
      name: 'queue',
      kind: 'text',
      help: 'where the tasks are kept: local or beads (postgres://... is not served yet)',
      value: 'queue',
    },
  ],
  async run({ home, flags, args, env, print, warn }) {
    if (args.length > 0) throw new AppError('usage', `fleet init takes no arguments, got ${JSON.stringify(args[0])}`)
    const asked = flags.text('queue')
    const choice: Choice = asked === undefined ? await chosen(home, env) : { queue: served(asked), why: 'as asked' }
    const made = await makeHome(home, { repair: flags.on('force'), queue: choice.queue, env })
    print(`Fleet home initialized at ${home.path}`)
    const why = made.configured && asked === undefined ? 'as runtime.toml says' : choice.why
    print(`queue: ${made.queue} (${why})`)
    print(`permissions: ${permissionsLine(made.config.permissions, account())}`)
    const { loose } = made
    if (loose.length > 0)
      warn(
        `Others may read ${loose.length === 1 ? loose[0] : `${loose.length} files of the home`}: fleet init --force repairs that`,
      )
  },
}

interface Choice {
  readonly queue: 'local' | 'beads'
  readonly why: string
}

/** A home that is there was asked already; a new one gets the queue that bd's users have. */
async function chosen(home: Parameters<typeof queueKind>[0], env: NodeJS.ProcessEnv): Promise<Choice> {
  if (home.isMade) return { queue: queueKind(home), why: 'as it was' }
  const bd = await findBd(env)
  if (bd.kind === 'usable') return { queue: 'beads', why: `bd ${bd.version} is on PATH; --queue local does without it` }
  if (bd.kind === 'refused') return { queue: 'local', why: `bd ${bd.version} is on PATH, but ${bd.why}` }
  return { queue: 'local', why: 'kept in fleet.db, nothing else is needed' }
}

function served(queue: string): 'local' | 'beads' {
  if (queue === 'local' || queue === 'beads') return queue
  if (!isPostgresUrl(queue)) {
    throw new AppError('usage', `--queue is ${JSON.stringify(queue)}, expected local, beads or a postgres:// URL`)
  }
  throw new AppError('unsupported', 'a postgres queue is not served yet', {
    hint: 'nothing was changed; use fleet init --queue local',
  })
}
