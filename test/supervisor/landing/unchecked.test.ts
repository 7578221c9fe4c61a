import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { waitOf } from '../../../src/domain/landing/landing.ts'
import { settingsOf } from '../../../src/domain/task/settings.ts'
import type { Verification } from '../../../src/ports/verifier.ts'
import { eventually } from '../../support/home-run.ts'
import { testWorld } from '../../support/world.ts'

const HUNG: Verification = {
  kind: 'no-verdict',
  text: 'verify (make) gave no verdict in 2 tries',
  commands: [
    {
      ...{ name: 'verify', command: 'make', round: 2, end: { kind: 'timed-out', afterMs: 60_000 }, ms: 60_000 },
      ...{ failing: '', tail: '', log: '/output.log', leftovers: 0 },
    },
  ],
}

test('a merged tree whose checks always time out waits for a person after three tries, who is told what to do', async () => {
  let ahead = 0
  const forgotten: string[] = []
  const { world, store, script, supervisor } = await testWorld(
    () => ({}),
    ({ verifier, clock }) => ({
      clock: { ...clock, now: () => Date.now() + ahead },
      verifier: {
        ...verifier,
        hasCommands: () => true,
        verify: async () => HUNG,
        forget: (subject) => void forgotten.push(subject),
      },
    }),
  )
  const id = await script('echo more >work.txt', { isolation: 'worktree' })
  const { cwd = '' } = settingsOf((await store.queue.get(id))?.metadata ?? {})
  const git = (...argv: string[]): string => execFileSync('git', argv, { cwd, encoding: 'utf8' })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.org')
  git('commit', '-q', '--allow-empty', '-m', 'First')
  const one = supervisor()
  await one.start()
  const waits = () => {
    const landing = world.ledger.landings.of(id)
    return landing && waitOf(landing)
  }
  for (const tries of [0, 1, 2]) {
    await eventually(() => waits()?.tries === tries, `it has been tried ${tries + 1} times`)
    ahead += 120_000
    one.wake()
  }
  expect(waits()).toEqual({
    why: `what would land was not checked: verify (make) did not end within 60 s (timeouts.verify): give it more time (fleet config set timeouts.verify=<duration>), then say fleet land ${id}`,
    tries: 2,
    until: null,
  })
  expect(forgotten.length).toBe(3)
})
