import { pluralize } from '../../domain/text/pluralize.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import type { QueuePlace, QueueReport } from '../kind.ts'
import { openPostgresStore } from './open.ts'
import { PostgresQueue } from './queue.ts'

export async function open({ home, setting, log, signal }: QueuePlace): Promise<TaskStore> {
  home.require()
  // A supervisor waits as long as it takes, as it does for a server that goes away later.
  const forever = { ms: Number.POSITIVE_INFINITY, signal, waiting: (why: string) => log?.('queue-not-ready', { why }) }
  const patience = log === undefined ? {} : { patience: forever }
  return new PostgresQueue(await openPostgresStore({ url: setting, ...patience }))
}

export async function create({ setting }: QueuePlace): Promise<string> {
  await using queue = new PostgresQueue(await openPostgresStore({ url: setting, create: true, prefix: 'fleet' }))
  return queue.location
}

export async function examine({ setting }: QueuePlace): Promise<QueueReport> {
  await using db = (await openPostgresStore({ url: setting })).db
  const [row] = await db.once<{ version: string; tasks: number }>(
    `select split_part(current_setting('server_version'), ' ', 1) as version, (select count(*) from task) as tasks`,
  )
  const tasks = pluralize(row?.tasks ?? 0, 'task')
  return { state: 'ok', found: `${db.location}: ${tasks} in schema ${db.schema}, PostgreSQL ${row?.version ?? ''}` }
}
