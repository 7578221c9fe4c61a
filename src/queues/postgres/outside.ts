import { pluralize } from '../../domain/text/pluralize.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import type { QueuePlace, QueueReport } from '../kind.ts'
import { openPostgresStore } from './open.ts'
import { PostgresQueue } from './queue.ts'

export async function open({ home, setting }: QueuePlace): Promise<TaskStore> {
  home.require()
  return new PostgresQueue(await openPostgresStore({ url: setting }))
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
