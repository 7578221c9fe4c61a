import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shell } from '../../../src/coders/shell/coder.ts'
import type { World } from '../../../src/supervisor/world.ts'
import { eventually } from '../../support/home-run.ts'
import { testWorld } from '../../support/world.ts'

/** At work until the test ends it, with a folder for hooks that it never calls. */
const listener: World['coders']['find'] = async () => ({
  ...shell,
  traits: { ...shell.traits, evidence: 'work', hooks: true },
  launch: () => ({ args: ['-c', 'until [ -e go ]; do sleep 0.05; done'], stdin: 'closed', env: {} }),
})

test('a message is handed over again after a failure, and after the hook that took it was killed', async () => {
  let full = true
  let ahead = 0
  const { world, logged, script, supervisor } = await testWorld(undefined, ({ attempts, coders, clock }) => ({
    coders: { ...coders, find: listener },
    clock: { ...clock, monotonic: () => performance.now() + ahead },
    attempts: {
      ...attempts,
      replace(...asked) {
        if (full && asked[2].startsWith('hooks/')) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
        attempts.replace(...asked)
      },
    },
  }))
  const times = (event: string) => logged.filter(([name]) => name === event).length
  const id = await script('true')
  const one = supervisor()
  await one.start()
  await eventually(() => one.standing.live[0]?.state.phase === 'running', 'it runs')
  const cwd = one.standing.live[0]?.record.cwd ?? ''
  world.ledger.messages.add({ task: id, comment: 'c1', by: 'anna', at: 1, text: 'Use the new name' })
  await eventually(() => times('message-not-handed-over') === 1, 'it fails')
  full = false
  await eventually(() => times('message-handed-over') === 1, 'it is handed over')
  const order = join(world.attempts.folder(id, 1), 'hooks', 'message-000000000001.json')
  renameSync(order, `${order}.taken`)
  const taken = () => [...(one.standing.live[0]?.messages.values() ?? [])].some((each) => 'takenSince' in each)
  await eventually(taken, 'it is seen that a hook has taken it')
  ahead += 60_000
  await eventually(() => times('message-handed-over') === 2, 'it is handed over again')
  expect(times('message-not-handed-over')).toBe(1)
  renameSync(order, `${order}.told`)
  writeFileSync(join(cwd, 'go'), '')
  await eventually(() => one.running === 0, 'it has ended')
  expect(times('message-handed-over')).toBe(2)
})
