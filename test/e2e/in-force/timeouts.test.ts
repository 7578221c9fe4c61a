import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Database } from '../../../src/platform/sqlite/database.ts'
import { claims, hang, healthy, init, result, says, testFleet, until, writes } from '../../support/supervisor.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('timeouts')

test('timeouts', async () => {
  const fleet = testFleet({
    config: [
      'max_attempts=1',
      'timeouts.first_event=5s',
      'timeouts.idle=4s',
      'timeouts.tool=5s',
      'timeouts.tool_mcp=5s',
      'timeouts.tool_agent=5s',
      'timeouts.after_result=1s',
      'timeouts.grace=1s',
      'timeouts.wall=9s',
      'timeouts.verify=1s',
      'timeouts.lease=20m',
    ],
  })
  const slow = fleet.create('Is verified for ever', healthy('c.txt'), '--verify', 'sleep 600')
  const mute = fleet.create('Never begins', [hang])
  const silent = fleet.create('Falls silent', [init, says('I will look'), hang])
  const open = (name: string) => [init, { claude: 'tool', name, do: [{ sleep: 600_000 }] }]
  const calls = { tool: 'Bash', tool_mcp: 'mcp__x__y', tool_agent: 'Agent' }
  const called = Object.entries(calls).map(([timer, name]) => ({ timer, name, id: fleet.create(timer, open(name)) }))
  const stays = fleet.create('Stays after its result', [...healthy('a.txt'), hang])
  const stubborn = fleet.create('Ignores SIGTERM', [
    init,
    { ignore: ['SIGTERM'] },
    writes('b.txt'),
    claims(),
    result(),
    { sleep: 8000 },
    { touch: 'outlived' },
    hang,
  ])
  const news = Array.from({ length: 200 }, (_, n) => [{ sleep: 200 }, says(`still here: ${n}`)]).flat()
  const talks = fleet.create('Talks on', [init, ...news])
  await fleet.start()

  await row('timeouts.lease', async () => {
    await fleet.started(talks)
    const left = (): number => leaseOf(join(fleet.home.path, 'fleet.db'), talks) - Date.now()
    await until(
      async () => left() > 0,
      () => 'its claim is in the store',
    )
    // The default is two minutes.
    expect(left()).toBeGreaterThan(15 * 60_000)
  })
  await row('timeouts.first_event', async () => {
    expect((await fleet.ended(mute)).outcome).toMatchObject({ code: 'stalled', stall: { cause: 'never-started' } })
  })
  await row('timeouts.idle', async () => {
    expect((await fleet.ended(silent)).outcome).toMatchObject({ code: 'stalled', stall: { cause: 'dead-stream' } })
  })
  for (const { timer, name, id } of called) {
    await row(`timeouts.${timer}`, async () => {
      const { outcome } = await fleet.ended(id)
      expect(outcome).toMatchObject({ code: 'stalled', stall: { cause: 'hung-tool' } })
      expect(outcome?.text).toContain(`: ${name} open `)
    })
  }
  await row('timeouts.verify', async () => {
    const { outcome } = await fleet.ended(slow)
    expect(outcome?.text).toContain('did not end within 1 s (timeouts.verify)')
  })
  await row('timeouts.wall', async () => {
    expect((await fleet.ended(talks)).outcome).toEqual({ code: 'wall-clock', text: 'ran for more than 9s' })
  })
  await row('timeouts.after_result', async () => {
    await fleet.settled(stays, 'closed')
    // Without the setting its wall time would end it first.
    expect(fleet.runs(stays).map(({ outcome }) => outcome?.code)).toEqual(['done'])
  })
  await row('timeouts.grace', async () => {
    await fleet.settled(stubborn, 'closed')
    // In the ten seconds of the default it would have come so far.
    const { cwd = '' } = fleet.runs(stubborn)[0] ?? {}
    expect([existsSync(join(cwd, 'b.txt')), existsSync(join(cwd, 'outlived'))]).toEqual([true, false])
  })
})

test('every row of this file was shown', () => expectAll())

/** 0: it has none. */
function leaseOf(store: string, id: string): number {
  using db = new Database(store, { readOnly: true })
  return db.once<{ lease: number | null }>('select lease_until as lease from task where id = ?').get(id)?.lease ?? 0
}
