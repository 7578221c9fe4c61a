import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually, fleetHome, type LogLine } from '../../support/home-run.ts'
import { throughPs } from '../../support/ps-exceptions.ts'

/** Through ps every start costs a process more. */
const MANY = throughPs ? 100 : 500

test('hundreds of tasks that fail at once are each blocked once, and the supervisor is idle afterwards', async () => {
  const fleet = await fleetHome(['max_concurrent=50', 'max_attempts=1'])
  const ids = await fleet.scripts(Array.from({ length: MANY }, (_, n) => `echo ${n} >>starts; exit 1`))
  const supervisor = await fleet.supervise()
  const done = async (): Promise<boolean> => (await fleet.statuses()).every((status) => status === 'blocked')
  await eventually(done, 'all are blocked', 200_000)
  expect(
    fleet
      .lines('starts')
      .map(Number)
      .sort((a, b) => a - b),
  ).toEqual(ids.map((_, n) => n))
  for (const id of ids)
    expect(fleet.runsOf(id)).toMatchObject([{ attempt: 1, outcome: { code: 'error', text: 'exit 1' } }])
  await fleet.expectNoAgents()
  // It may use a tenth of two seconds.
  const before = cpuSeconds(supervisor.pid)
  await delay(2000)
  expect(cpuSeconds(supervisor.pid) - before).toBeLessThan(0.2)
  // On a busy machine ps itself may be slow, which the log says.
  const isTrouble = ({ event, why }: LogLine) =>
    event === 'work-failed' && !String(why).includes(': ps takes more than')
  expect(fleet.log().filter(isTrouble)).toEqual([])
  const late = await fleet.script('true')
  await fleet.becomes(late, 'closed')
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
})

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / 100
}
