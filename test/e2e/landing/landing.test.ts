import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, init, result, type Steps, testFleet, tool, until, writes } from '../../support/supervisor.ts'

/** Work of worktrees on its way to the target branch: real repositories, real agents, the built CLI. */

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

const commits = (...argv: readonly string[]) => tool({ git: ['add', '-A'] }, { git: ['commit', '-qm', ...argv] })
const WORKTREE = ['--isolation', 'worktree'] as const

function shop(config: readonly string[] = []) {
  const fleet = testFleet({ config })
  const repository = fleet.project('shop', { git: true })
  const create = (title: string, steps: Steps, ...flags: readonly string[]) =>
    fleet.create(title, steps, '--cwd', repository, ...WORKTREE, ...flags)
  const set = (...settings: readonly string[]) => {
    const keys = settings.map((each) => `projects.${repository}.${each}`)
    expect(fleet.fleet('config', 'set', ...keys)).toMatchObject({ code: 0, stderr: '' })
  }
  return { fleet, repository, create, set }
}

test('a task closes when its work is on the branch that was checked out, and its dependent starts from there', async () => {
  const { fleet, repository, create } = shop()
  const first = create('First', [init, writes('new.txt', 'new\n'), commits('New'), claims('made it'), result()])
  const seen = [init, tool({ run: ['cat', 'new.txt'], to: 'seen.txt' }), claims(), result()]
  const then = create('Then', seen, '--deps', first)
  await fleet.start()
  expect(await fleet.settled(first, 'closed')).toMatchObject({ close_reason: 'made it', labels: [] })
  await fleet.settled(then, 'closed')
  expect(readFileSync(join(repository, 'seen.txt'), 'utf8')).toContain('new\\n')
  expect(git(repository, 'log', '--format=%s').split('\n')).toEqual(['Then', 'New', 'First'])
  expect(git(repository, 'status', '--porcelain')).toBe('')
  expect(fleet.runs(first).map(({ outcome }) => outcome?.code)).toEqual(['needs-landing'])
})

test('a conflict goes back to its own task, with the files, and lands after its next attempt; others go on', async () => {
  const { fleet, repository, create } = shop()
  const mine: Steps = [
    [init, writes('kept.txt', 'mine\n'), tool({ waitFor: '$FLEET_HOME/go' }), claims(), result()],
    [init, tool({ git: ['rebase', '-X', 'theirs', 'main'] }), claims(), result()],
  ]
  const id = create('Mine', mine)
  await fleet.start()
  await fleet.started(id)
  writeFileSync(join(repository, 'kept.txt'), 'theirs\n')
  git(repository, 'commit', '-qam', 'Theirs')
  const other = create('Other', [init, writes('other.txt'), claims(), result()])
  await fleet.settled(other, 'closed')
  writeFileSync(join(fleet.home.path, 'go'), '')
  await fleet.settled(id, 'closed')
  expect(git(repository, 'show', 'main:kept.txt')).toBe('mine')
  expect(fleet.runs(id).map(({ outcome }) => outcome?.code)).toEqual(['needs-landing', 'needs-landing'])
  const prompt = fleet.text(id, 'attempts', '2', 'prompt.md')
  expect(prompt).toContain(`conflicts with what is on main by now: "kept.txt". Bring fleet/${id} onto main`)
  expect(fleet.ledger.stateOf(id).failures).toBe(0)
})

test('local changes of a person in the way are waited for, and nothing of them is lost', async () => {
  const { fleet, repository, create } = shop()
  writeFileSync(join(repository, 'kept.txt'), 'a person types\n')
  const id = create('Mine', [init, writes('kept.txt', 'mine\n'), claims(), result()])
  await fleet.start()
  const waits = () => fleet.ledger.landings.of(id)?.state
  await until(
    async () => JSON.stringify(waits() ?? '').includes('would overwrite: kept.txt'),
    () => `it waits: ${JSON.stringify(waits())}`,
  )
  expect(await fleet.task(id)).toMatchObject({ status: 'blocked', labels: ['needs-landing'] })
  git(repository, 'stash', '-q')
  await fleet.settled(id, 'closed')
  expect(git(repository, 'stash', 'show', '-p')).toContain('a person types')
})

test('a task whose branch has no commit closes where its evidence is', async () => {
  const { fleet, repository, create } = shop()
  const report = tool({ write: '$FLEET_ARTIFACT_DIR/report.md', text: 'all is well\n' })
  const id = create('Report', [init, report, claims(), result()])
  const before = git(repository, 'rev-parse', 'main')
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id)[0]?.outcome?.code).toBe('done')
  expect([git(repository, 'rev-parse', 'main'), fleet.ledger.landings.of(id)]).toEqual([before, undefined])
})

test('a person who reopens a task that waits to land takes it out of the queue', async () => {
  const { fleet, repository, create, set } = shop()
  set('land=manual')
  const id = create('Mine', [
    [init, writes('a.txt'), claims(), result()],
    [init, writes('b.txt'), claims(), result()],
  ])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.home.bd(['update', id, '--status', 'open', '--assignee', '']).code).toBe(0)
  await fleet.ended(id, 2)
  await fleet.settled(id, 'blocked')
  expect(fleet.ledger.landings.of(id)).toMatchObject({ run: fleet.runs(id)[1]?.id, state: { at: 'queued' } })
  expect(git(repository, 'log', '--format=%s', 'main')).toBe('First')
})

test('the merged tree gets what a worktree gets: setup of the project and ignored files that it needs', async () => {
  const { fleet, repository, create, set } = shop()
  writeFileSync(join(repository, '.gitignore'), '.env\nbuilt\n')
  writeFileSync(join(repository, '.env'), 'PORT=1\n')
  git(repository, 'add', '.gitignore')
  git(repository, 'commit', '-qm', 'Ignore')
  set(
    'setup=touch built; echo "$FLEET_WORKTREE" >>"$FLEET_HOME/set-up"',
    'worktree_include=[".env"]',
    'verify=test -e built -a -e .env',
  )
  const id = create('Mine', [init, tool({ waitFor: '$FLEET_HOME/go' }), writes('a.txt'), claims(), result()])
  await fleet.start()
  await fleet.started(id)
  git(repository, 'commit', '-q', '--allow-empty', '-m', 'Meanwhile')
  writeFileSync(join(repository, 'other.txt'), 'x\n')
  git(repository, 'add', 'other.txt')
  git(repository, 'commit', '-qm', 'Other')
  writeFileSync(join(fleet.home.path, 'go'), '')
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id).map(({ outcome }) => outcome?.code)).toEqual(['needs-landing'])
  expect(readFileSync(join(fleet.home.path, 'set-up'), 'utf8').trim().split('\n')).toEqual([
    join(fleet.home.path, 'worktrees', id),
    expect.stringMatching(`^${join(fleet.home.path, 'landing', id)}/tree-[0-9a-f]+$`),
  ])
})

test('work that passes only with a file that git ignores does not land: the merged tree lacks it', async () => {
  const { fleet, repository, create, set } = shop(['max_attempts=1'])
  writeFileSync(join(repository, '.gitignore'), 'lib/\n')
  git(repository, 'add', '.gitignore')
  git(repository, 'commit', '-qm', 'Ignore')
  set('verify=test -e lib/tool.js')
  const ignored = tool({ run: ['sh', '-c', 'mkdir lib && echo 1 >lib/tool.js'] })
  const id = create('Tool', [init, writes('main.js'), ignored, claims(), result()])
  await fleet.start()
  await until(
    async () => fleet.ledger.landings.of(id)?.state.at === 'over',
    () => `its landing is over: ${JSON.stringify(fleet.ledger.landings.of(id))}`,
  )
  expect(await fleet.task(id)).toMatchObject({ status: 'blocked', labels: [] })
  expect([fleet.receipt(id).level, fleet.ledger.stateOf(id).failures]).toEqual(['verified', 1])
  expect(git(repository, 'log', '--format=%s', 'main').split('\n')).toEqual(['Ignore', 'First'])
})

test('work that has landed is no evidence for a task that a person opens again', async () => {
  const { fleet, repository, create } = shop(['max_attempts=1'])
  const idle = [init, tool({ run: ['true'] }), claims('nothing more to do'), result()]
  const id = create('Mine', [[init, writes('a.txt'), claims(), result()], idle])
  await fleet.start()
  await fleet.settled(id, 'closed')
  const tip = git(repository, 'rev-parse', 'main')
  expect(fleet.home.bd(['reopen', id]).code).toBe(0)
  await fleet.settled(id, 'blocked')
  expect(fleet.runs(id).map(({ outcome }) => outcome?.code)).toEqual(['needs-landing', 'no-evidence'])
  expect(git(repository, 'rev-parse', 'main')).toBe(tip)
})
