import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freeDisk } from '../../../src/platform/machine.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { eventually, fleetHome } from '../../support/home-run.ts'

const MEGABYTE = 1 << 20

/** A disk of its own; undefined: only root can have one. */
function smallDisk(megabytes: number): string | undefined {
  const folder = join(temporaryFolder(), 'disk')
  mkdirSync(folder)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  if (mounted.status !== 0) return undefined
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  return folder
}

/** Leaves so much free; 0: not even an empty file can be made any longer. */
function fill(folder: string, leaving: number): string {
  const file = join(folder, `ballast-${leaving}`)
  writeFileSync(file, '')
  try {
    while (freeDisk(folder) > leaving) {
      appendFileSync(file, Buffer.alloc(Math.min(4 * MEGABYTE, Math.max(4096, freeDisk(folder) - leaving))))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
  return file
}

test('on a full disk nothing is claimed and nothing is lost; when there is room again all goes on', async ({
  skip,
}) => {
  const disk = smallDisk(160)
  if (disk === undefined) {
    console.warn('\n*** no disk of its own here (not root): SKIPPED ***\n')
    return skip()
  }
  const fleet = await fleetHome(['max_concurrent=4', 'max_attempts=1'], disk)
  // Their own files lie elsewhere: what is looked at is what fleet can still do.
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
  expect(await fleet.logged('claiming nothing')).toMatchObject({ why: expect.stringContaining('disk') })
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
  // It said that it went well, whether or not its line found room.
  await eventually(async () => (await fleet.status(talker as string)) !== 'in_progress', 'it is settled')
  expect(fleet.stateOf(talker as string)).toMatchObject({ attempts: 1, lastOutcome: { code: 'done' } })
  for (const id of [good, bad, late]) expect(fleet.runsOf(id as string)).toHaveLength(1)
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  await fleet.expectNoAgents()
})
