import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, type Fleet, init, result, testFleet, tool, writes } from '../../support/supervisor.ts'

/** Tasks in worktrees: real repositories, real agents, the built CLI. */

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

const WORKTREE = ['--isolation', 'worktree'] as const

const stateOf = (repository: string) => ({
  head: git(repository, 'rev-parse', 'HEAD'),
  branch: git(repository, 'symbolic-ref', 'HEAD'),
  status: git(repository, 'status', '--porcelain'),
})

const pathOf = (fleet: Fleet, task: string): string => join(fleet.home.path, 'worktrees', task)

test('two agents work on the same file of one repository and disturb neither each other nor the person', async () => {
  const fleet = testFleet()
  const repository = fleet.project('shop', { git: true })
  writeFileSync(join(repository, 'mine.txt'), 'not committed\n')
  const before = stateOf(repository)
  const [one, other] = ['one', 'other'].map((name) =>
    fleet.create(name, [init, writes('kept.txt', `${name}\n`), claims(), result()], '--cwd', repository, ...WORKTREE),
  ) as [string, string]
  expect(fleet.fleet('config', 'set', `projects.${repository}.land=manual`)).toMatchObject({ code: 0, stderr: '' })
  await fleet.start()
  for (const id of [one, other]) await fleet.settled(id, 'blocked')

  expect(stateOf(repository)).toEqual(before)
  expect(readFileSync(join(repository, 'kept.txt'), 'utf8')).toBe('old\n')
  expect([one, other].map((id) => git(repository, 'show', `fleet/${id}:kept.txt`))).toEqual(['one', 'other'])
  expect(git(repository, 'log', '-1', '--format=%B', `fleet/${one}`)).toBe(
    `one\n\nLeft uncommitted at the end of attempt 1.\n\nFleet-Task: ${one}`,
  )
  expect(fleet.receipt(one)).toMatchObject({
    outcome: { code: 'needs-landing' },
    evidence: { files_changed: ['kept.txt'], commits: [] },
    worktree: {
      path: pathOf(fleet, one),
      branch: `fleet/${one}`,
      base: before.head,
      head: git(repository, 'rev-parse', `fleet/${one}`),
      kept: true,
    },
  })
})

test('an agent works in the sub-directory of its task, and its prompt and launch record name its worktree', async () => {
  const fleet = testFleet()
  const repository = fleet.project('shop', { git: true })
  mkdirSync(join(repository, 'web'))
  writeFileSync(join(repository, 'web', 'page.html'), '<p>\n')
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'Web')
  const id = fleet.create(
    'Page',
    [init, writes('page.html', '<b>\n'), claims(), result()],
    '--cwd',
    join(repository, 'web'),
    ...WORKTREE,
  )
  const base = git(repository, 'rev-parse', 'HEAD')
  await fleet.start()
  await fleet.settled(id, 'closed')

  const cwd = join(pathOf(fleet, id), 'web')
  expect((await fleet.started(id)).cwd).toBe(cwd)
  expect(fleet.text(id, 'attempts', '1', 'prompt.md')).toContain(`You work alone in ${cwd}`)
  expect(fleet.text(id, 'attempts', '1', 'prompt.md')).toContain(`leave ${repository} as it is`)
  expect(JSON.parse(fleet.text(id, 'attempts', '1', 'launch.json'))).toMatchObject({
    cwd,
    project: join(repository, 'web'),
    worktree: { path: pathOf(fleet, id), branch: `fleet/${id}`, base },
  })
  expect(git(repository, 'show', `fleet/${id}:web/page.html`)).toBe('<b>')
})

test('a later attempt works in the same worktree, and what an earlier one did there counts for it', async () => {
  const fleet = testFleet({ config: ['max_attempts=3'] })
  const repository = fleet.project('shop', { git: true })
  const steps = [
    [init, writes('new.txt'), result()],
    [init, tool({ git: ['log', '-1', '--format=%s'] }), claims(), result()],
  ]
  const id = fleet.create('In two attempts', steps, '--cwd', repository, ...WORKTREE)
  await fleet.start()
  await fleet.settled(id, 'closed')

  expect(fleet.runs(id).map(({ cwd, outcome }) => [cwd, outcome?.code])).toEqual([
    [pathOf(fleet, id), 'no-claim'],
    [pathOf(fleet, id), 'needs-landing'],
  ])
  expect(fleet.receipt(id, 2)).toMatchObject({ evidence: { files_changed: ['new.txt'] }, worktree: { kept: false } })
})

test('work of others is no evidence in a worktree', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const repository = fleet.project('shop', { git: true })
  const idle = [init, tool({ touch: '$FLEET_HOME/begun' }), { waitFor: '$FLEET_HOME/go' }, claims(), result()]
  const id = fleet.create('Does nothing', idle, '--cwd', repository, ...WORKTREE)
  const busy = [
    init,
    { waitFor: '$FLEET_HOME/begun' },
    writes('real.txt'),
    tool({ git: ['add', '.'] }),
    tool({ git: ['commit', '-qm', 'Real'] }),
    claims(),
    result(),
  ]
  const other = fleet.create('Does something', busy, '--cwd', repository, ...WORKTREE)
  await fleet.start()
  await fleet.settled(other, 'closed')
  writeFileSync(join(repository, 'persons.txt'), 'x\n')
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'By a person')
  writeFileSync(join(fleet.home.path, 'go'), '')
  await fleet.settled(id, 'blocked')

  expect(fleet.receipt(id)).toMatchObject({
    outcome: { code: 'no-evidence' },
    evidence: { files_changed: [], commits: [] },
  })
  expect(fleet.receipt(other)).toMatchObject({
    evidence: { commits: [git(repository, 'rev-parse', `fleet/${other}`)] },
  })
})

test('a directory that cannot have a worktree blocks its task with one sentence, and nothing is counted', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const plain = fleet.project('plain')
  const fresh = fleet.project('fresh')
  git(fresh, 'init', '-q')
  const bare = fleet.project('bare')
  git(bare, 'init', '-q', '--bare')
  const shop = fleet.project('shop', { git: true })
  const ids = {
    plain: fleet.create('No git', 'true', '--cwd', plain),
    fresh: fleet.create('No commit', 'true', '--cwd', fresh),
    bare: fleet.create('Bare', 'true', '--cwd', bare),
    target: fleet.create('No such branch', 'true', '--cwd', shop, '--target', 'release/9'),
  }
  await fleet.start()
  for (const id of Object.values(ids)) await fleet.settled(id, 'blocked')

  const said = Object.entries(ids).map(([name, id]) => [name, fleet.ledger.stateOf(id).lastOutcome])
  expect(Object.fromEntries(said)).toEqual({
    plain: {
      code: 'no-worktree',
      text: `${plain} is in no git repository, so it has no worktree: git init and commit there, or use isolation = shared for it`,
    },
    fresh: {
      code: 'no-worktree',
      text: `${fresh} has no commit yet: commit something there, then fleet retry ${ids.fresh}`,
    },
    bare: {
      code: 'no-worktree',
      text: `${bare} is a bare repository, which has no files to work on: give the task a clone of it (fleet bd update <id> --cwd <clone>)`,
    },
    target: {
      code: 'no-worktree',
      text: `${shop} has no branch release/9: create it, or give another with fleet bd update ${ids.target} --target`,
    },
  })
  expect(Object.values(ids).map((id) => fleet.ledger.stateOf(id).failures)).toEqual([0, 0, 0, 0])
})

test('a home inside of a repository has no worktrees of it, and the reason says what to do', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const around = dirname(fleet.home.path)
  git(around, 'init', '-q')
  const id = fleet.create('Around the home', 'true', '--cwd', around)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.ledger.stateOf(id).lastOutcome).toEqual({
    code: 'no-worktree',
    text: `its worktree would lie inside ${around}, because the home ${fleet.home.path} does: move the home out of the repository (FLEET_HOME), or use isolation = shared for it`,
  })
})

test('a task that leaves its worktree for the shared directory says where its earlier work is', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const repository = fleet.project('shop', { git: true })
  const steps = [
    [init, writes('early.txt'), result()],
    [init, writes('late.txt'), claims(), result()],
  ]
  const id = fleet.create('Moves', steps, '--cwd', repository, '--isolation', 'worktree')
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.home.bd(['update', id, '--isolation', 'shared'])).toMatchObject({ code: 0 })
  expect(fleet.fleet('retry', id)).toMatchObject({ code: 0 })
  await fleet.settled(id, 'closed')
  expect(fleet.receipt(id, 2).warnings).toEqual([
    `earlier attempts worked in a worktree: what they did is on the branch fleet/${id}, and not in ${repository}`,
  ])
})

test('variables of a git hook around fleet lead no agent into the primary checkout', async () => {
  const outside = testFleet()
  const repository = outside.project('shop', { git: true })
  const fleet = testFleet({
    env: {
      GIT_DIR: join(repository, '.git'),
      GIT_WORK_TREE: repository,
      GIT_INDEX_FILE: join(repository, '.git/index'),
    },
  })
  const before = stateOf(repository)
  const steps = [
    init,
    writes('work.txt'),
    tool({ git: ['add', '.'] }),
    tool({ git: ['commit', '-qm', 'Work'] }),
    claims(),
    result(),
  ]
  const id = fleet.create('Work', steps, '--cwd', repository, ...WORKTREE)
  await fleet.start()
  await fleet.settled(id, 'closed')

  // Only its landing has moved the branch.
  expect(stateOf(repository)).toEqual({ ...before, head: git(repository, 'rev-parse', `fleet/${id}`) })
  expect(git(repository, 'log', '--format=%s', `fleet/${id}`)).toBe('Work\nFirst')
})

test('fleet show tells of its worktree and branch, and fleet run that agents share a checkout', async () => {
  const fleet = testFleet()
  const repository = fleet.project('shop', { git: true })
  const waits = [init, tool({ waitFor: '$FLEET_HOME/go' }), writes('x.txt'), claims(), result()]
  const apart = fleet.create('Apart', waits, '--cwd', repository, ...WORKTREE)
  const shared = ['one', 'other'].map((name) => fleet.create(name, waits, '--cwd', repository))
  await fleet.start()
  for (const id of [apart, ...shared]) await fleet.started(id)
  const path = pathOf(fleet, apart)
  const base = git(repository, 'rev-parse', 'HEAD')
  expect(fleet.fleet('show', apart).stdout).toContain(path)
  expect(fleet.fleet('show', apart).stdout).toContain(`fleet/${apart}, since ${base.slice(0, 10)}, for main`)
  expect(JSON.parse(fleet.fleet('show', apart, '--json').stdout).fleet).toMatchObject({
    isolation: 'worktree',
    worktree: { path, branch: `fleet/${apart}`, base, target: 'main', repository },
  })
  expect(JSON.parse(fleet.fleet('tasks', '--json').stdout).running).toContainEqual(
    expect.objectContaining({ id: apart, cwd: path, project: repository }),
  )
  writeFileSync(join(fleet.home.path, 'go'), '')
  for (const id of [apart, ...shared]) await fleet.ended(id)
  const told = fleet.log().filter(({ event }) => event === 'checkout-shared')
  expect(told).toEqual([expect.objectContaining({ repository, tasks: expect.arrayContaining(shared) })])
  await fleet.end('SIGTERM')
  expect((await fleet.over()).said).toContain(`work in the same checkout, ${repository}`)
})

test('what has begun in a worktree goes on there when the configuration changes', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const steps = [
    [init, writes('new.txt'), tool({ fleet: ['ask', 'Which?'] }), result()],
    [init, claims(), result()],
  ]
  const id = fleet.create('Asks', steps, '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('config', 'set', 'isolation=shared')).toMatchObject({ code: 0 })
  expect(fleet.fleet('answer', id, 'this')).toMatchObject({ code: 0 })
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id).map(({ cwd }) => cwd)).toEqual([pathOf(fleet, id), pathOf(fleet, id)])
})

test('work that has landed is no evidence for a task that is opened again', async () => {
  const fleet = testFleet({ config: ['isolation=worktree', 'max_attempts=1'] })
  const repository = fleet.project('shop', { git: true })
  const steps = [
    [init, writes('new.txt'), claims(), result()],
    [init, claims('nothing more to do'), result()],
  ]
  const id = fleet.create('Once more', steps, '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.fleet('bd', 'reopen', id)).toMatchObject({ code: 0 })
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id, 2)).toMatchObject({ outcome: { code: 'no-evidence' }, evidence: { files_changed: [] } })
  expect(git(repository, 'log', '--format=%s', 'main').split('\n')).toContain('Once more')
})

test('locks and a merge that an agent leaves behind do not keep the next attempt from working', async () => {
  const fleet = testFleet({ config: ['coder=shell', 'isolation=worktree', 'max_attempts=2'] })
  const repository = fleet.project('shop', { git: true })
  const first = [
    'g=$(git rev-parse --git-dir) && echo x >one.txt && git rev-parse HEAD >"$g/MERGE_HEAD"',
    'touch "$g/index.lock" "$g/HEAD.lock" "$(git rev-parse --git-common-dir)/refs/heads/fleet/$FLEET_TASK_ID.lock"',
    'exit 1',
  ]
  const next = 'echo x >two.txt && git add . && git -c user.name=t -c user.email=t@localhost commit -qm Two'
  const id = fleet.create(
    'Two attempts',
    `if [ -e one.txt ]; then ${next}; else ${first.join('; ')}; fi`,
    '--cwd',
    repository,
  )
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(git(repository, 'log', '--format=%s %p', '-2', 'main')).toMatch(/^Two \w+\nTwo attempts \w+$/)
})
