import { expect, test } from 'vitest'
import { absenceStorm } from '../../support/absence-storm.ts'
import { FLEET, scrubbed, temporaryFolder } from '../../support/cli.ts'
import { describeWithPostgres } from '../../support/postgres.ts'

describeWithPostgres('three supervisors on one queue that are away for longer than their leases', (server) => {
  test('lose no task, and no two agents ever work on one at the same time', async () => {
    const report = await absenceStorm({
      folder: temporaryFolder(),
      server,
      fleet: FLEET,
      env: scrubbed(),
      homes: 3,
      tasks: 16,
      napMs: 16_000,
      absences: 6,
      leaseS: 10,
      settings: ['max_concurrent=4'],
    })
    expect(Object.keys(report.absences).length).toBeGreaterThan(1)
    expect(report).toMatchObject({ lost: [], atOnce: [], orphans: [], unsettled: 0 })
  }, 300_000)
})
