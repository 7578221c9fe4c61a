import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli.ts'
import { eventually, fleetHome } from '../../support/home-run.ts'
import { fill, MEGABYTE, smallDisk } from '../../support/small-disk.ts'

test('on a full disk nothing is claimed and nothing is lost; with free space again everything continues', async ({
  skip,
}) => {
  const disk = smallDisk(160)
  if (disk === undefined) return skip()
  const fleet = await fleetHome(['max_concurrent=4', 'max_attempts=1'], disk)
  // The scripts write to another disk, so that only fleet meets the full one.
  const elsewhere = temporaryFolder()
  const wait = `echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done`
  const [good, bad, talker] = await fleet.scripts(
    [`${wait}; exit 0`, `${wait}; exit 3`, `${wait}; echo printed; exit 0`],
    { cwd: elsewhere },
  )
  const supervisor = await fleet.supervise()
  await eventually(() => fleet.lines(join(elsewhere, 'starts')).length === 3, 'they run')

  const nearly = fill(disk, 32 * MEGABYTE)
  const late = await fleet.script('echo late >>starts', { cwd: elsewhere })
  expect(await fleet.logged('claiming-stopped')).toMatchObject({ why: expect.stringContaining('disk') })
  expect(await fleet.status(late)).toBe('open')

  const wholly = fill(disk, 0)
  fleet.touch(join(elsewhere, 'go'))
  await fleet.expectNoAgents()
  rmSync(wholly)
  rmSync(nearly)
  await fleet.becomes(good as string, 'closed')
  await fleet.becomes(bad as string, 'blocked')
  await fleet.becomes(late, 'closed')
  expect(fleet.stateOf(bad as string).lastOutcome).toEqual({ code: 'error', text: 'exit 3' })
  // Its exit was 0, whether or not its output fitted on the disk.
  await eventually(async () => (await fleet.status(talker as string)) !== 'in_progress', 'it is settled')
  expect(fleet.stateOf(talker as string)).toMatchObject({ attempts: 1, lastOutcome: { code: 'done' } })
  for (const id of [good, bad, late]) expect(fleet.runsOf(id as string)).toHaveLength(1)
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  await fleet.expectNoAgents()
})
