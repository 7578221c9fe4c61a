/** A real PostgreSQL, the storm around it and the queue on it, as tests and supervisors have them. */
export { openPostgresStore } from '../../src/queues/postgres/open.ts'
export { PostgresQueue } from '../../src/queues/postgres/queue.ts'
export { findPostgres, TestServer } from '../../test/support/postgres-server.ts'
export { storm } from '../../test/support/storm.ts'
