import { describeWithPostgres } from '../support/postgres.ts'
import { openPostgres } from './postgres.ts'
import { queueContract } from './queue.ts'

describeWithPostgres('PostgreSQL', (server) => {
  queueContract('the Postgres queue', () => openPostgres(server.newUrl()))
})
