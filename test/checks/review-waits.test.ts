import { expect, test } from 'vitest'
import { openForTrial } from '../../src/domain/fleet/lane.ts'
import type { Lane } from '../../src/domain/run/run.ts'
import { temporaryFolder } from '../support/cli.ts'
import { eventually } from '../support/home-run.ts'
import { codexSaying, reviewing } from '../support/reviewing.ts'

const PASSES = `cat <<'END'\n${codexSaying('{"verdict": "pass", "reasons": []}')}\nEND`
const TROUBLE = (message: string) => `echo '{"type":"turn.failed","error":{"message":"${message}"}}'; exit 1`
const FIRST = `[ "$(ls "$(dirname "$0")"/prompt-* | wc -l)" -le`

test('a review waits while the account of its reviewer is at a limit, and its usage is told', async () => {
  const { review, ledger, logged, prompts } = await reviewing(
    `${FIRST} 1 ] && { ${TROUBLE('You hit your usage limit. Try again later.')}; }\n${PASSES}`,
  )
  const waits: (string | undefined)[] = []
  const reviewed = review({ waits: (why) => waits.push(why) })
  await eventually(() => waits.some((why) => why !== undefined), 'it waits')
  const [lane] = ledger.lanes()
  expect(lane).toMatchObject({ name: 'codex', state: 'paused', code: 'usage-limit' })
  expect(waits.filter((why) => why !== undefined)[0]).toBe('You hit your usage limit. Try again later.')
  if (lane !== undefined) ledger.saveLane({ ...lane, until: Date.now() - 1 })
  expect(await reviewed).toMatchObject({
    kind: 'passed',
    commands: [{ end: { code: 1 }, failing: 'You hit your usage limit. Try again later.' }, { end: { code: 0 } }],
    usage: { usage: { input: 5, output: 1 }, costUsd: null },
  })
  expect([waits.at(-1), prompts().length, ledger.lanes()[0]?.state]).toEqual([undefined, 2, 'up'])
  expect(logged.map(([event]) => event).filter((event) => event.startsWith('lane-'))).toEqual([
    'lane-paused',
    'lane-up',
  ])
})

test('a reviewer that is logged out takes its lane down once, and all reviews wait until a person has helped', async () => {
  const { review, run, ledger, logged } = await reviewing(
    `until ! ${FIRST} 1 ]; do sleep 0.1; done\n${FIRST} 2 ] && { echo 'Not logged in' >&2; exit 1; }\n${PASSES}`,
  )
  const other = { run: { ...run, id: `${run.id}-other` }, folder: temporaryFolder() }
  const both = [review(), review(other)]
  await eventually(() => logged.filter(([event]) => event === 'command-verified').length === 2, 'both have tried')
  expect(ledger.lanes()).toMatchObject([{ name: 'codex', state: 'down', code: 'login' }])
  const opened = (lane: Lane | undefined) => lane && openForTrial(lane, Date.now())
  const after = opened(ledger.lanes()[0])
  if (after !== undefined) ledger.saveLane(after)
  expect(await Promise.all(both)).toMatchObject([{ kind: 'passed' }, { kind: 'passed' }])
  expect(logged.filter(([event]) => event === 'lane-down')).toHaveLength(1)
})

test('a review that waits ends when it is aborted, and a person decides when the lane has been closed for too long', async () => {
  const { review, ledger, prompts } = await reviewing(PASSES)
  const paused: Lane = {
    name: 'codex',
    state: 'paused',
    code: 'overload',
    reason: 'Overloaded',
    since: Date.now() - 5 * 3_600_000,
    until: Date.now() + 60_000,
  }
  ledger.saveLane(paused)
  const abort = new AbortController()
  const reviewed = review({ waits: (why) => why !== undefined && abort.abort('stop') }, {}, abort.signal)
  await expect(reviewed).rejects.toBe('stop')
  ledger.saveLane({ ...paused, since: Date.now() - 7 * 3_600_000 })
  expect(await review()).toMatchObject({
    kind: 'needs-person',
    text: 'not reviewed by codex: waited for too long: Overloaded',
  })
  expect(prompts()).toEqual([])
})
