import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, init, result, testFleet, tool, until, writes } from '../../support/supervisor.ts'

/** A run in a worktree leaves the primary checkout alone, and where it does not, that is found. */

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

test('a file of the primary checkout that an agent edits is named, and a person decides about its work', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const astray = [init, writes('here.txt'), writes(join(repository, 'kept.txt'), 'not here\n'), claims(), result()]
  const id = fleet.create('Edits both', astray, '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  const text = `it was to leave ${repository} alone, and changed kept.txt there`
  expect(fleet.receipt(id)).toMatchObject({
    outcome: { code: 'needs-review', text: `${text}: look at it before the work counts` },
    warnings: [text],
  })
})

test('what the commands of an agent do in the primary checkout is found: edits, deleted files, commits, a switch and a reset', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  writeFileSync(join(repository, 'precious.txt'), 'not committed\n')
  const command = [
    `cd ${repository} && echo more >>kept.txt && git commit -qam 'From outside'`,
    'git checkout -q -b surprise && git reset -q --hard HEAD~1 && echo x >kept.txt && rm precious.txt',
  ].join('\n')
  const astray = { claude: 'tool', input: { command }, do: [{ run: ['sh', '-c', command] }] }
  const id = fleet.create('Goes there', [init, writes('here.txt'), astray, claims(), result()], '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  const moves = [...['commit: From outside', 'checkout: moving from main to surprise', 'reset: moving to HEAD~1']].join(
    '; ',
  )
  const text = `it was to leave ${repository} alone, and changed kept.txt, precious.txt there, and moved HEAD there (${moves})`
  expect(fleet.receipt(id)).toMatchObject({
    outcome: { code: 'needs-review', text: `${text}: look at it before the work counts` },
    warnings: [text],
  })
})

test('a script that names the primary checkout has changed what changed there, and one that does not may have', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const [shop, till] = [fleet.project('shop', { git: true }), fleet.project('till', { git: true })]
  const named = fleet.create('Names it', `cd ${shop} && git checkout -q -b surprise`, '--cwd', shop)
  const hidden = fleet.create(
    'Hides it',
    'cd "$(dirname "$(git rev-parse --path-format=absolute --git-common-dir)")" && echo x >>kept.txt && git stash -q',
    ...['--cwd', till],
  )
  await fleet.start()
  await fleet.settled(named, 'blocked')
  await fleet.ended(hidden)
  const text = `it was to leave ${shop} alone, and moved HEAD there (checkout: moving from main to surprise)`
  expect(fleet.receipt(named)).toMatchObject({
    outcome: { code: 'needs-review', text: `${text}: look at it before the work counts` },
    warnings: [text],
  })
  expect(fleet.receipt(hidden).warnings).toEqual([
    `HEAD (reset: moving to HEAD) changed in ${till} while it worked: if that was not you, look at it`,
  ])
})

test('commits that an agent puts on the branch of a person are found', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const steps = [
    ...[init, writes('work.txt'), tool({ git: ['add', '.'] }), tool({ git: ['commit', '-qm', 'Work'] })],
    ...[tool({ git: ['update-ref', 'refs/heads/main', 'HEAD'] }), claims(), result()],
  ]
  const id = fleet.create('Lands itself', steps, '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(git(repository, 'log', '-1', '--format=%s')).toBe('Work')
  expect(fleet.receipt(id).outcome).toEqual({
    code: 'needs-review',
    text: `it was to leave ${repository} alone, and put commits of fleet/${id} on main itself: look at it before the work counts`,
  })
})

test('what a person and other tasks do there meanwhile is no reproach', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const go = '$FLEET_HOME/go'
  const slow = fleet.create(
    'Slow',
    [init, writes('slow.txt'), tool({ touch: 'begun' }), tool({ waitFor: go }), claims(), result()],
    '--cwd',
    repository,
  )
  const quick = fleet.create(
    'Quick',
    [init, { waitFor: `$FLEET_HOME/worktrees/${slow}/begun` }, writes('quick.txt'), claims(), result()],
    '--cwd',
    repository,
  )
  await fleet.start()
  await fleet.settled(quick, 'closed')
  writeFileSync(join(repository, 'mine.txt'), 'of a person\n')
  writeFileSync(join(repository, 'kept.txt'), 'of a person\n')
  git(repository, 'commit', '-qam', 'By a person')
  writeFileSync(join(fleet.home.path, 'go'), '')
  await fleet.settled(slow, 'closed')
  expect(fleet.receipt(slow).warnings).toEqual([])
  expect(git(repository, 'log', '--format=%s', 'main').split('\n')).toEqual(
    expect.arrayContaining(['Slow', 'By a person', 'Quick', 'First']),
  )
  await until(
    async () => existsSync(join(repository, 'slow.txt')),
    () => 'it has landed in the primary checkout',
  )
})
