/** For the Postgres benchmarks: a real server, the storms of the tests, and the queue of the supervisors. */
export { openPostgresStore } from '../../src/queues/postgres/open.ts'
export { PostgresQueue } from '../../src/queues/postgres/queue.ts'
export { absenceStorm } from '../../test/support/absence-storm.ts'
export { findPostgres, TestServer } from '../../test/support/postgres-server.ts'
export { storm } from '../../test/support/storm.ts'
