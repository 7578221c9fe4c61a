import { pluralize } from '../../domain/text/pluralize.ts'
import { AppError } from '../../errors.ts'
import { entryAt } from '../../platform/files/folder.ts'
import { touchWake } from '../../platform/files/wake.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { lockForWriting } from '../../platform/sqlite/queue-lock.ts'
import type { QueuePlace, QueueReport } from '../kind.ts'
import { homeKindIn } from '../registry.ts'
import { beadsKind } from './descriptor.ts'
import { examineBd } from './examine.ts'
import { initBeads } from './init.ts'
import { openBeads } from './open.ts'
import type { BeadsQueue } from './queue.ts'

/** Reading brings the mirror up to date, so every user of the queue is a writer. */
export async function open({ home, env, log, openStore, requireUnmoved }: QueuePlace): Promise<BeadsQueue> {
  const writer = lockForWriting(home)
  try {
    await requireUnmoved()
    return openBeads(openStore(), {
      beads: home.beads,
      env,
      // A supervisor runs for days, so it looks for bd again instead of trusting what the store remembers.
      anew: log !== undefined,
      clock: { now: Date.now },
      log,
      committed: () => touchWake(home.wake),
      closed: () => writer[Symbol.dispose](),
    })
  } catch (error) {
    writer[Symbol.dispose]()
    throw error
  }
}

/** A home that has tasks in its store keeps them there. */
export async function create({ home, env, openStore }: QueuePlace): Promise<string> {
  using db = openStore()
  const isMirror = homeKindIn(db).name === beadsKind.name
  if (!isMirror && hasTasks(db)) {
    throw new AppError('conflict', `${home.path} keeps its tasks in fleet.db already`, {
      hint: 'nothing was changed; fleet queue migrate --to beads moves them',
    })
  }
  // A new, empty database would empty the mirror, and the mirror is all that is left of the tasks.
  if (isMirror && hasTasks(db) && entryAt(`${home.beads}/metadata.json`) === undefined)
    throw beadsKind.folder?.gone(home)
  await initBeads({ beads: home.beads, env, prefix: 'fleet' })
  db.write(() => db.sql('insert or replace into meta (key, value) values (?, ?)').run('queue', beadsKind.name))
  return beadsKind.name
}

/** Asks bd, and changes nothing in the mirror. */
export async function examine({ home, env }: QueuePlace): Promise<QueueReport> {
  const { tasks, bd, unread } = await examineBd({ beads: home.beads, env })
  const found = `${home.beads}: ${pluralize(tasks, 'task')}, by ${bd}`
  const [why] = unread
  if (why === undefined) return { state: 'ok', found }
  return {
    state: 'warn',
    found: `${found}; ${pluralize(unread.length, 'task')} of them cannot be run: ${why}`,
    todo: 'tasks that depend on them wait until they are closed: fleet bd close <id>',
  }
}

function hasTasks(db: Database): boolean {
  return db.once('select 1 from task limit 1').get() !== undefined
}
