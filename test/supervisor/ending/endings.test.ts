import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { writeDown } from '../../../src/supervisor/run/follow.ts'
import type { LiveRun } from '../../../src/supervisor/run/live-run.ts'
import { eventually } from '../../support/home-run.ts'
import { testWorld } from '../../support/world.ts'

test('a task that cannot be settled does not keep others that end with it from being settled', async () => {
  let refused = ''
  // All of them end in the same moment.
  const start = () => Promise.reject(new AppError('failed', 'no process can be started'))
  const { script, status, supervisor } = await testWorld(
    (queue) => ({
      async settle(claim, next) {
        if (claim.id === refused) throw new AppError('queue', 'not this one')
        return await queue.settle(claim, next)
      },
    }),
    ({ agents }) => ({ agents: { ...agents, start } }),
  )
  const ids = [await script('true'), await script('true'), await script('true')]
  refused = ids[0] as string
  const one = supervisor({ once: true })
  await one.start()
  await eventually(() => one.running === 1, 'only the one is left')
  expect(await Promise.all(ids.map(status))).toEqual(['in_progress', 'open', 'open'])
  refused = ''
  await eventually(() => one.running === 0, 'it is settled in the end')
})

test('the last line of a script becomes the reason of its task, without NULs', async () => {
  const { store, script, status, supervisor } = await testWorld()
  const id = await script(String.raw`printf 'al\0l \0done\n'`)
  await supervisor().start()
  await eventually(async () => (await status(id)) === 'closed', 'it is closed')
  expect(await store.queue.get(id)).toMatchObject({ close_reason: 'all done' })
})

test('log lines of a task that could not be written are written later', async () => {
  let full = true
  const { world, script, status, supervisor } = await testWorld(undefined, ({ attempts }) => ({
    attempts: {
      ...attempts,
      appendLog(task, lines) {
        if (full) throw new AppError('failed', 'no space is left')
        attempts.appendLog(task, lines)
      },
    },
  }))
  const id = await script('while [ ! -e go ]; do sleep 0.02; done')
  const one = supervisor()
  await one.start()
  const live = await new Promise<LiveRun>((resolve) => {
    const found = () => (one.standing.live[0] === undefined ? setTimeout(found, 5) : resolve(one.standing.live[0]))
    found()
  })
  live.unwritten.log.push('{"event":"note"}')
  live.unwritten.figuresChanged = true
  expect(() => writeDown(world, live)).toThrow('no space is left')
  // What the agent cannot make unwritable is written all the same.
  expect([live.unwritten.figuresChanged, live.unwritten.log.at(-1)]).toEqual([false, '{"event":"note"}'])
  full = false
  writeFileSync(join(live.record.cwd, 'go'), '')
  await eventually(async () => (await status(id)) === 'closed', 'it is closed')
  await eventually(() => one.running === 0, 'it is settled')
  const lines = readFileSync(join(world.attempts.taskFolder(id), 'log.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['started', 'note', 'ended'])
})
