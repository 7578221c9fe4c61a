import { expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { eventually } from '../support/home-run.ts'
import { testWorld } from '../support/world.ts'

test('a task that cannot be settled keeps none of those that end with it from being', async () => {
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

test('what a script says last becomes the reason of its task without the NULs in it', async () => {
  const { store, script, status, supervisor } = await testWorld()
  const id = await script(String.raw`printf 'al\0l \0done\n'`)
  await supervisor().start()
  await eventually(async () => (await status(id)) === 'closed', 'it is closed')
  expect(await store.queue.get(id)).toMatchObject({ close_reason: 'all done' })
})
