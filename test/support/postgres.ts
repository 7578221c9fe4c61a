import { afterAll, beforeAll, describe } from 'vitest'
import { findPostgres, TestServer } from './postgres-server.ts'
import { runFolder } from './run-folder.ts'

/** A real PostgreSQL, started from the machine's packages as an ordinary user; each test file has its own. */

export { GUARDED, type TestServer } from './postgres-server.ts'

const BIN = findPostgres()

/** A suite that needs a server; without PostgreSQL it is skipped with a message. `server` runs when the tests run. */
export function describeWithPostgres(name: string, suite: (server: TestServer) => void): void {
  if (BIN === undefined) {
    console.warn(`\n*** SKIPPED: ${name}: there is no PostgreSQL on this machine (initdb and postgres) ***\n`)
    describe.skip(`${name} (no PostgreSQL on this machine)`, () => suite(new TestServer('', runFolder)))
    return
  }
  describe(name, () => {
    const server = new TestServer(BIN, runFolder)
    beforeAll(() => server.make())
    afterAll(() => server.end())
    suite(server)
  })
}
