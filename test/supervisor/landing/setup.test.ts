import { expect, test } from 'vitest'
import { waitOf } from '../../../src/domain/landing/landing.ts'
import { eventually } from '../../support/home-run.ts'
import { landingWorld } from '../../support/landing-world.ts'

/** The setup of a merged tree: of the worktree of the agent it always succeeds here. */
const inMerged = (line: string): string => `case "$FLEET_WORKTREE" in */landing/*) ${line};; esac`

async function landing(setup: string) {
  const it = await landingWorld(async () => ({ kind: 'passed', text: '', commands: [] }), {
    setup,
    queue: (queue) => ({ claim: (want) => (it.newest() === undefined ? queue.claim(want) : Promise.resolve([])) }),
  })
  await it.supervisor().start()
  return it
}

test('a setup of the merged tree that fails once is run again, and the work lands', async () => {
  const it = await landing(inMerged('test -e ../once || { : >../once; exit 7; }'))
  await eventually(() => it.newest()?.state.at === 'over', 'it is over')
  expect([await it.status(it.id), it.store.ledger.stateOf(it.id).failures]).toEqual(['closed', 0])
})

test('a setup of the merged tree that fails twice goes back with the end of its output', async () => {
  const it = await landing(inMerged('echo "no such package" >&2; exit 7'))
  await eventually(() => it.newest()?.state.at === 'over', 'it is over')
  const { failures, lastOutcome } = it.store.ledger.stateOf(it.id)
  expect([await it.status(it.id), failures, lastOutcome]).toEqual([
    'open',
    1,
    {
      code: 'verify-failed',
      text: expect.stringContaining('setup of the merged tree ended with 7: no such package'),
      details: 'What it printed:\n    no such package',
    },
  ])
})

test('a setup of the merged tree that is killed from outside counts nothing: the landing waits', async () => {
  const it = await landing(inMerged('kill -9 $$'))
  const why = (): string | undefined => {
    const now = it.newest()
    return now && waitOf(now)?.why
  }
  await eventually(() => why() !== undefined, 'it waits')
  expect([why(), it.store.ledger.stateOf(it.id).failures]).toEqual([
    expect.stringContaining('setup of the merged tree was killed from outside (SIGKILL)'),
    0,
  ])
})
