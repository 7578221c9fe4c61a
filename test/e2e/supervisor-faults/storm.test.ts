import { expect, test } from 'vitest'
import { FLEET, scrubbed, temporaryFolder } from '../../support/cli.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { storm } from '../../support/storm.ts'

describeWithPostgres('three supervisors on one queue', (server) => {
  test('lose no task, start none twice and leave no process, although they are killed and the server is restarted', async () => {
    const report = await storm({
      folder: temporaryFolder(),
      server,
      fleet: FLEET,
      env: scrubbed(),
      homes: 3,
      tasks: 150,
      napMs: 2000,
      kills: 12,
      restarts: 4,
      longestLifeMs: 3000,
      settings: ['max_concurrent=4'],
    })
    expect(report.kills).toBeGreaterThan(3)
    expect(report.restarts).toBeGreaterThan(1)
    expect(report).toMatchObject({ lost: [], twice: [], orphans: [], unsettled: 0, outcomes: { done: 150 } })
  }, 240_000)
})
