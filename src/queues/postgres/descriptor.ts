import { isPostgresUrl } from '../../domain/queue/postgres-url.ts'
import type { ServerQueueKind } from '../kind.ts'

/** The tasks are in a PostgreSQL database, which many machines may share. */
export const postgresKind: ServerQueueKind = {
  name: 'postgres',
  at: 'server',
  expected: 'a postgres:// URL',
  usage: 'postgres://...',
  addressHas: 'postgres',
  fits: isPostgresUrl,
  servedBy: 'fleet',
  outside: async () => await import('./outside.ts'),
}
