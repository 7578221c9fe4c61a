import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, init, result, type Steps, testFleet, writes } from '../../support/supervisor.ts'

/** Work of worktrees that a person has to accept before it lands. */

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

function shop(...config: readonly string[]) {
  const fleet = testFleet({ config: ['close_at=reviewed', 'isolation=worktree', ...config] })
  const repository = fleet.project('shop', { git: true })
  const create = (title: string, steps: Steps) => fleet.create(title, steps, '--cwd', repository)
  return { fleet, repository, create }
}

const STEPS: Steps = [
  [init, writes('a.txt', 'first\n'), claims('made a'), result()],
  [init, writes('a.txt', 'second\n'), claims('made a again'), result()],
]

test('accepted work lands, and its task is closed then; work that was sent back does not', async () => {
  const { fleet, repository, create } = shop()
  const id = create('Make a', STEPS)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(await fleet.task(id)).toMatchObject({ labels: ['needs-review'] })
  expect(fleet.ledger.landings.of(id)).toBeUndefined()
  expect(fleet.fleet('review', id).stdout).toMatch(/^changed: +1 file, 0 commits, \+1 -0 lines$/m)
  // What another agent puts into the worktree afterwards is neither shown nor landed.
  writeFileSync(join(fleet.receipt(id).worktree?.path ?? '', 'a.txt'), 'harmless\n')
  expect(fleet.fleet('review', id, '--diff').stdout).toContain('+first\n')
  expect(fleet.fleet('review', id, '--reject', 'say second').code).toBe(0)
  await fleet.ended(id, 2)
  await fleet.settled(id, 'blocked')
  expect(existsSync(join(repository, 'a.txt'))).toBe(false)

  const commit = fleet.receipt(id, 2).worktree?.head
  expect(fleet.fleet('review', id, '--accept')).toMatchObject({
    code: 0,
    stdout: `Accepted. ${id} is closed when its work has landed (fleet land says how it stands).\n`,
  })
  expect(await fleet.settled(id, 'closed')).toMatchObject({ close_reason: 'made a again', labels: [] })
  expect(git(repository, 'show', 'main:a.txt')).toBe('second')
  expect(git(repository, 'rev-parse', 'main')).toBe(commit)
  expect(fleet.receipt(id, 2)).toMatchObject({ level: 'reviewed', review: { decision: 'accepted' } })
  // Whoever waits for its review waits no more.
  expect(fleet.fleet('review').stdout).toBe('Nothing waits for a review.\n')
})

test('with land = manual an accepted task waits until a person says so', async () => {
  const { fleet, repository, create } = shop()
  expect(fleet.fleet('config', 'set', `projects.${repository}.land=manual`).code).toBe(0)
  const id = create('Make a', STEPS)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('review', id, '--accept').code).toBe(0)
  expect(await fleet.task(id)).toMatchObject({ status: 'blocked', labels: ['needs-landing'] })
  expect(fleet.fleet('tasks').stdout).toContain(`fleet land ${id}`)
  expect(fleet.fleet('show', id).stdout).toMatch(/^not running: +.*its work waits to land/m)
  expect(fleet.fleet('land', id).code).toBe(0)
  await fleet.settled(id, 'closed')
  expect(git(repository, 'show', 'main:a.txt')).toBe('first')

  const other = create('Make b', [init, writes('b.txt'), claims('made b'), result()])
  await fleet.settled(other, 'blocked')
  expect(fleet.fleet('review', other, '--accept').code).toBe(0)
  await fleet.end('SIGTERM')
  expect(fleet.fleet('retry', other).code).toBe(0)
  expect(await fleet.task(other)).toMatchObject({ status: 'open', labels: [] })
})

test('accepted work that conflicts goes back to its agent, and is reviewed again', async () => {
  const { fleet, repository, create } = shop()
  const id = create('Change it', [
    [init, writes('kept.txt', 'mine\n'), claims(), result()],
    [init, { claude: 'tool', do: [{ git: ['rebase', '-X', 'theirs', 'main'] }] }, claims('took mine'), result()],
  ])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  writeFileSync(join(repository, 'kept.txt'), 'theirs\n')
  git(repository, 'commit', '-qam', 'Theirs')
  expect(fleet.fleet('review', id, '--accept').code).toBe(0)
  await fleet.ended(id, 2)
  await fleet.settled(id, 'blocked')
  expect(await fleet.task(id)).toMatchObject({ labels: ['needs-review'] })
  expect(fleet.text(id, 'attempts', '2', 'prompt.md')).toContain('conflicts with what is on main by now')
  expect(git(repository, 'show', 'main:kept.txt')).toBe('theirs')
  expect(fleet.fleet('review', id, '--accept').code).toBe(0)
  await fleet.settled(id, 'closed')
  expect(git(repository, 'show', 'main:kept.txt')).toBe('mine')
})

test('an accepted task whose branch has no commit is closed at once', async () => {
  const { fleet, create } = shop()
  const report = { claude: 'tool', do: [{ write: '$FLEET_ARTIFACT_DIR/report.md', text: 'all is well\n' }] }
  const id = create('Report', [init, report, claims('wrote a report'), result()])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('review', id, '--accept').stdout).toBe(`Accepted. ${id} is closed.\n`)
  expect(await fleet.task(id)).toMatchObject({ status: 'closed', close_reason: 'wrote a report' })
})

test('work that left its branch is not accepted, and the refusal says where it is', async () => {
  const { fleet, repository, create } = shop()
  const strays = [{ git: ['checkout', '-q', '--orphan', 'other'] }, { git: ['commit', '-qm', 'y'] }]
  const id = create('Make a', [
    [
      init,
      writes('a.txt', 'first\n'),
      { claude: 'tool', do: [{ git: ['add', '.'] }, ...strays] },
      writes(join(repository, 'kept.txt'), 'touched\n'),
      claims('made a'),
      result(),
    ],
  ])
  await fleet.start()
  const { notes } = await fleet.settled(id, 'blocked')
  expect(notes).toMatch(
    /^it was to leave .* alone, and changed kept.txt there: look at it .*; and it left its worktree on /,
  )
  const run = fleet.runs(id)[0]?.id
  expect(fleet.fleet('review', id, '--accept')).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`is not on its branch fleet/${id}, so nothing .*\\n.*refs/fleet/rescue/${run}`),
    ),
  })
  expect(await fleet.task(id)).toMatchObject({ status: 'blocked', labels: ['needs-review'] })
  expect(git(repository, 'show', `refs/fleet/rescue/${run}:a.txt`)).toBe('first')
  expect(fleet.fleet('review', id, '--reject', 'bring it onto your branch').code).toBe(0)
})

test('work that was sent back is no evidence for the next attempt, which goes on until the note is followed', async () => {
  const { fleet, create } = shop('max_attempts=1')
  const looks = { claude: 'tool', do: [{ run: ['ls'] }] }
  const id = create('Make a', [
    [init, writes('a.txt', 'first\n'), claims('made a'), result()],
    [init, looks, claims('did as told'), result()],
    [init, writes('b.txt', 'second\n'), claims('made b too'), result()],
  ])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('review', id, '--reject', 'make b too').code).toBe(0)
  await fleet.ended(id, 2)
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id, 2).outcome).toMatchObject({
    code: 'no-evidence',
    text: expect.stringMatching(
      /^claimed done with 1 tool call, 0 files changed, 0 commits, 0 artifacts since .+ sent it back/,
    ),
  })
  expect(fleet.fleet('retry', id).code).toBe(0)
  await fleet.ended(id, 3)
  await fleet.settled(id, 'blocked')
  expect(fleet.text(id, 'attempts', '3', 'prompt.md')).toMatch(
    /Before that .+ reviewed it and sent it back: make b too/,
  )
  expect(fleet.receipt(id, 3)).toMatchObject({
    outcome: { code: 'needs-review' },
    evidence: { files_changed: ['a.txt', 'b.txt'] },
  })
  const diff = fleet.fleet('review', id, '--diff').stdout
  expect([diff.includes('+first\n'), diff.includes('+second\n')]).toEqual([true, true])
})

test('work that a person accepts without a verdict of the checks lands without one', async () => {
  const { fleet, repository, create } = shop('timeouts.verify=1s')
  expect(fleet.fleet('config', 'set', `projects.${repository}.verify=sleep 600`).code).toBe(0)
  const id = create('Make a', STEPS)
  await fleet.start()
  expect((await fleet.settled(id, 'blocked')).notes).toContain('gave no verdict')
  expect(fleet.fleet('review', id, '--accept').code).toBe(0)
  await fleet.settled(id, 'closed')
  expect(git(repository, 'show', 'main:a.txt')).toBe('first')
})
