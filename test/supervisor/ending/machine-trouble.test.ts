import { expect, test } from 'vitest'
import { eventually } from '../../support/home-run.ts'
import { testWorld } from '../../support/world.ts'

/** A disk that gives no file of a task away until it is repaired. */
async function withBrokenDisk() {
  const disk = { isBroken: false }
  const made = await testWorld(
    () => ({}),
    ({ attempts }) => ({
      attempts: {
        ...attempts,
        mend(task, of) {
          if (disk.isBroken) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
          return attempts.mend(task, of)
        },
      },
    }),
  )
  const one = made.supervisor()
  await one.start()
  const id = await made.script('exec sleep 600')
  one.wake()
  await eventually(() => one.standing.live[0]?.state.phase === 'running', 'it runs')
  disk.isBroken = true
  return { ...made, one, id, disk }
}

test('a broken disk is no fault of the agent: its run is judged once the disk is back, and `fleet kill` does not wait', async () => {
  const { one, id, disk, ask, status, store } = await withBrokenDisk()
  const answer = ask('kill', id)
  one.wake()
  await eventually(() => answer() !== null, 'it is answered')
  expect(answer()).toBe('ended; how it ended will be written down when the machine allows it')
  expect(store.ledger.openRunOf(id)?.phase).toBe('stopping')
  disk.isBroken = false
  await eventually(async () => (await status(id)) === 'blocked', 'it is settled')
  expect(store.ledger.runsOf(id)[0]?.outcome?.code).toBe('killed')
})

test('a stop ends while the disk is broken, and the next supervisor judges the run', async () => {
  const { one, id, disk, logged, status, store, supervisor } = await withBrokenDisk()
  one.stop({ by: 'SIGTERM' })
  one.stop({ by: 'SIGTERM', atOnce: true })
  await one.finished
  expect(logged).toContainEqual(['ended-before-settling', { runs: 1 }])
  disk.isBroken = false
  await supervisor({ claiming: false }).start()
  await eventually(async () => (await status(id)) === 'open', 'it is open again')
  expect(store.ledger.runsOf(id)[0]?.outcome?.code).toBe('stopped')
})
