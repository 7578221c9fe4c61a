import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, type Fleet, healthy, init, result, testFleet, writes } from '../../support/supervisor.ts'

const REVIEWED = ['close_at=reviewed']

async function waiting(fleet: Fleet, title = 'Make it', file = 'made.txt'): Promise<string> {
  const id = fleet.create(title, [healthy(file), [init, writes('again.txt'), claims('did it again'), result()]])
  if (fleet.pid === 0) await fleet.start()
  await fleet.settled(id, 'blocked')
  return id
}

const review = (fleet: Fleet, ...argv: readonly string[]) => fleet.fleet('review', ...argv)

test('a task that passed everything else waits for a review, and is closed by the person who accepts it', async () => {
  const fleet = testFleet({ config: REVIEWED })
  const id = await waiting(fleet)
  const after = fleet.create('Goes on', healthy('next.txt'), '--deps', id)
  expect(await fleet.task(id)).toMatchObject({ status: 'blocked', labels: ['needs-review'] })
  expect(review(fleet).stdout).toContain(`${id}  Make it  (waits since `)
  expect(JSON.parse(review(fleet, '--json').stdout)).toMatchObject([
    { task: id, title: 'Make it', attempt: 1, coder: 'claude', level: 'evidenced', files_changed: 1, machine: null },
  ])
  expect(fleet.fleet('tasks').stdout).toContain(`fleet review ${id}`)
  expect(review(fleet, id).stdout).toContain('verdict:      needs-review at level evidenced')

  expect(fleet.starts(after)).toEqual([])
  expect(review(fleet, id, '--accept', '--note', 'well done')).toEqual({
    code: 0,
    stdout: `Accepted. ${id} is closed.\n`,
    stderr: '',
  })
  expect(await fleet.settled(id, 'closed')).toMatchObject({ close_reason: 'all done', labels: [] })
  const receipt = fleet.receipt(id)
  expect(receipt).toMatchObject({
    level: 'reviewed',
    outcome: { code: 'needs-review' },
    review: { decision: 'accepted', by: expect.any(String), note: 'well done' },
  })
  expect(fleet.fleet('show', id).stdout).toMatch(/^review: +accepted by .+ at .+, with the note: well done$/m)
  expect(JSON.parse(fleet.fleet('show', id, '--json').stdout).fleet.reviews).toMatchObject([
    { decision: 'accepted', note: 'well done' },
  ])
  // The amended receipt is the one that fleet wrote.
  expect(fleet.fleet('task', id, 'receipt')).toEqual({
    code: 0,
    stdout: `${JSON.stringify(receipt, undefined, 2)}\n`,
    stderr: '',
  })
  expect(fleet.fleet('show', id).stdout).not.toContain('altered')
  await fleet.settled(after, 'blocked')
  expect(readFileSync(join(fleet.home.path, 'tasks', after, 'attempts/1/prompt.md'), 'utf8')).toContain('all done')
  expect(JSON.parse(review(fleet, '--json').stdout)).toMatchObject([{ task: after }])
})

test('a rejected task continues its session with the note in its prompt, and a fresh set of attempts', async () => {
  const fleet = testFleet({ config: REVIEWED })
  const id = await waiting(fleet)
  const note = 'keep the old name\nas an alias'
  expect(review(fleet, id, '--reject', note)).toEqual({
    code: 0,
    stdout: `Sent back. ${id} is open again; its next attempt has the note.\n`,
    stderr: '',
  })
  await fleet.ended(id, 2)
  await fleet.settled(id, 'blocked')
  const [first] = fleet.runs(id)
  expect(fleet.starts(id)[1]?.argv).toContain(`--resume=${first?.id}`)
  const prompt = fleet.text(id, 'attempts', '2', 'prompt.md')
  expect(prompt).toMatch(
    /## Why the last attempt ended\n.+ reviewed it and sent it back: keep the old name\nas an alias\n/,
  )
  expect(fleet.receipt(id)).toMatchObject({ level: 'evidenced', review: { decision: 'rejected', note } })
  expect(fleet.receipt(id, 2)).not.toHaveProperty('review')
  expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 2, failures: 0 })
  expect(review(fleet, id, '--accept').code).toBe(0)
  expect(await fleet.settled(id, 'closed')).toMatchObject({ close_reason: 'did it again' })
  expect(fleet.ledger.reviews.of(id).map(({ decision }) => decision)).toEqual(['rejected', 'accepted'])
})

test('a decision about a task that changed meanwhile, or that waits for no review, changes nothing', async () => {
  const fleet = testFleet({ config: REVIEWED })
  const id = await waiting(fleet)
  expect(review(fleet, id, '--reject', '')).toMatchObject({ code: 2 })
  expect(review(fleet, id, '--reject', ' ', '--accept')).toMatchObject({ code: 2 })
  expect(review(fleet, '--accept')).toMatchObject({ code: 2 })
  expect(review(fleet, 'nothing-x', '--accept')).toMatchObject({ code: 4 })
  await fleet.end('SIGTERM')
  // A person has taken it, and then blocked it by hand: its token has grown.
  fleet.home.bd(['update', id, '--status', 'open', '--assignee', ''])
  fleet.home.bd(['update', id, '--status', 'blocked'])
  const before = await fleet.task(id)
  const state = fleet.ledger.stateOf(id)
  for (const decision of [['--accept'], ['--reject', 'no']]) {
    expect(review(fleet, id, ...decision)).toMatchObject({ code: 5, stdout: '' })
  }
  expect(await fleet.task(id)).toEqual(before)
  expect(fleet.ledger.stateOf(id)).toEqual(state)
  expect(fleet.ledger.reviews.of(id)).toEqual([])
  fleet.home.bd(['close', id])
  expect(review(fleet, id, '--accept')).toMatchObject({ code: 5, stderr: expect.stringContaining('is closed') })
})

test('a task that needs a review can be closed by hand, and a retry sends its work back', async () => {
  const fleet = testFleet({ config: REVIEWED })
  const [one, other] = [await waiting(fleet, 'One', 'one.txt'), await waiting(fleet, 'Other', 'other.txt')]
  expect(fleet.home.bd(['close', one]).code).toBe(0)
  expect((await fleet.task(one)).status).toBe('closed')
  expect(fleet.fleet('retry', other, '--note', 'once more')).toMatchObject({ code: 0 })
  await fleet.ended(other, 2)
  expect(JSON.parse(review(fleet, '--json').stdout)).toMatchObject([{ task: other, attempt: 2 }])
  const decision = { decision: 'rejected', note: 'once more' }
  expect(fleet.ledger.reviews.of(other)).toMatchObject([decision])
  expect(fleet.receipt(other)).toMatchObject({ review: decision })
  expect(fleet.text(other, 'attempts', '2', 'prompt.md')).toMatch(/ended\n.+ sent it back: once more\n/)
})

test('a retry takes nothing from work about which the checks found out nothing', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop')
  const steps = [healthy('made.txt'), [init, claims('as before'), result()]]
  const id = fleet.create('Make it', steps, '--cwd', cwd, '--verify', './not-there')
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.home.bd(['update', id, '--verify', 'test -e made.txt']).code).toBe(0)
  expect(fleet.fleet('retry', id).code).toBe(0)
  expect(await fleet.settled(id, 'closed')).toMatchObject({ close_reason: 'as before' })
  expect(fleet.ledger.reviews.of(id)).toEqual([])
})

test('a task that failed since its review was asked for is not one to accept', async () => {
  const fleet = testFleet({ config: [...REVIEWED, 'max_attempts=1'] })
  const id = fleet.create('Make it', [healthy('made.txt'), [init, { exit: 1 }]])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  // By hand, so the label stays.
  fleet.home.bd(['update', id, '--status', 'open', '--assignee', ''])
  await fleet.ended(id, 2)
  expect(await fleet.settled(id, 'blocked')).toMatchObject({ labels: ['needs-review'] })
  expect(review(fleet).stdout).toBe('Nothing waits for a review.\n')
  expect(review(fleet, id, '--accept')).toMatchObject({ code: 5, stderr: expect.stringContaining('nothing to accept') })
  expect(fleet.fleet('retry', id).code).toBe(0)
  expect((await fleet.task(id)).labels).toEqual([])
})

test('hostile words of an agent and secrets reach neither the list nor the review as they are', async () => {
  const fleet = testFleet({ config: REVIEWED })
  const key = `sk-ant-api03-${'k'.repeat(40)}`
  const words = `\u001b]0;owned\u0007<b>${key}</b>\u202e`
  const id = fleet.create(`Make it ${words}`, [init, writes('made.txt'), claims(`did ${words}`), result()])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  for (const argv of [[], [id], ['--json'], [id, '--json']]) {
    const { code, stdout } = review(fleet, ...argv)
    expect([argv, code, /[^\P{Cc}\n]|\u202e/u.test(stdout), stdout.includes(key)]).toEqual([argv, 0, false, false])
  }
})

test('agents may not review', async () => {
  const fleet = testFleet({ config: REVIEWED })
  const id = await waiting(fleet)
  const agent = fleet.create(
    'Reviews its sister',
    [
      init,
      ...[[], [id], [id, '--accept'], [id, '--reject', 'no']].map((argv, i) => ({
        claude: 'tool',
        do: [{ fleet: ['review', ...argv], to: `said-${i}.json` }],
      })),
      result(),
    ],
    '--cwd',
    fleet.home.project,
  )
  await fleet.ended(agent)
  for (const i of [0, 1, 2, 3]) {
    expect(JSON.parse(readFileSync(join(fleet.home.project, `said-${i}.json`), 'utf8'))).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('fleet review is for people'),
    })
  }
  expect((await fleet.task(id)).status).toBe('blocked')
})
