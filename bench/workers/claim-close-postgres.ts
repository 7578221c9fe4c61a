import { openPostgresStore } from '../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../src/queues/postgres/queue.ts'
import { drainOnWord } from '../drain.ts'

const [url = '', by = ''] = process.argv.slice(2)

async function main(): Promise<void> {
  await using queue = new PostgresQueue(await openPostgresStore({ url }))
  await drainOnWord(queue, by)
}

main()
