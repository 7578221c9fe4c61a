/** A real PostgreSQL and the storm around it, as the tests have them. */
export { findPostgres, TestServer } from '../../test/support/postgres-server.ts'
export { storm } from '../../test/support/storm.ts'
