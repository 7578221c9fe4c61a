import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inPlace } from '../../src/workspace/in-place.ts'
import { NOTHING, plain, project } from '../support/project.ts'

test('files that a run edited, created and deleted in a checkout are changes', async () => {
  const { path, write, changesBy } = project('git')
  const changes = await changesBy(() => {
    write('a.txt', 'other\n')
    write('new dir/ü "x".txt', 'new\n')
    rmSync(join(path, 'dir/b.txt'))
  })
  expect(changes).toEqual({ ...NOTHING, files: ['a.txt', 'dir/b.txt', 'new dir/ü "x".txt'] })
})

test('a run that changed nothing, or only read, leaves no evidence', async () => {
  const { path, git, changesBy } = project('git')
  expect(
    await changesBy(() => {
      execFileSync('cat', [join(path, 'a.txt')])
      git('status')
      git('log')
    }),
  ).toEqual(NOTHING)
})

test('a change from before the run is no evidence until the run touches it', async () => {
  const { path, write, git, changesBy } = project('git')
  write('a.txt', 'changed just before\n')
  write('new.txt', 'new\n')
  rmSync(join(path, 'dir/b.txt'))
  expect(await changesBy(() => git('add', '--all'))).toEqual(NOTHING)
  expect(await changesBy(() => write('new.txt', 'newer\n'))).toEqual({ ...NOTHING, files: ['new.txt'] })
  expect(await changesBy(() => write('dir/b.txt', 'back, and other\n'))).toEqual({
    ...NOTHING,
    files: ['dir/b.txt'],
  })
})

test('a touched file, or one rewritten with the same content, is no evidence, tracked by git or not', async () => {
  const { path, write, changesBy } = project('git')
  write('a.txt', 'changed just before\n')
  write('new.txt', 'new\n')
  symlinkSync('a.txt', join(path, 'link'))
  const again = () => {
    for (const name of ['a.txt', 'dir/b.txt', 'new.txt']) utimesSync(join(path, name), 1, 1)
    write('new.txt', 'newer\n')
    write('new.txt', 'new\n')
    rmSync(join(path, 'link'))
    symlinkSync('a.txt', join(path, 'link'))
  }
  expect(await changesBy(again)).toEqual(NOTHING)
  expect(await changesBy(() => chmodSync(join(path, 'new.txt'), 0o755))).toEqual({
    ...NOTHING,
    files: ['new.txt (mode)'],
  })
})

test('deleting an untracked file is a change; a deletion before the run is not', async () => {
  const { path, write, git, changesBy } = project('git')
  for (const name of ['new.txt', 'staged.txt', 'stays.txt']) write(name, name)
  git('add', 'staged.txt')
  rmSync(join(path, 'a.txt'))
  expect(
    await changesBy(() => {
      rmSync(join(path, 'new.txt'))
      git('rm', '-q', '-f', 'staged.txt')
    }),
  ).toEqual({ ...NOTHING, files: ['new.txt', 'staged.txt'] })
})

test('a commit of what somebody had left is no evidence, with more in it it is', async () => {
  const { path, write, git, changesBy } = project('git')
  const leave = (): void => {
    write('a.txt', `changed ${Math.random()}\n`)
    write('new.txt', `${Math.random()}\n`)
    rmSync(join(path, 'dir/b.txt'), { force: true })
  }
  const commitAll = (): void => {
    git('add', '--all')
    git('commit', '-q', '-m', 'what was there')
  }
  leave()
  expect(await changesBy(commitAll)).toEqual(NOTHING)
  leave()
  const more = await changesBy(() => {
    write('more.txt', 'more\n')
    commitAll()
  })
  expect(more).toEqual({ ...NOTHING, commits: [git('rev-parse', 'HEAD')], files: ['more.txt'] })
})

test('a commit with a new tree is evidence, also on another branch', async () => {
  const { write, git, changesBy } = project('git')
  let commits: string[] = []
  const changes = await changesBy(() => {
    write('a.txt', 'second\n')
    git('commit', '-q', '-a', '-m', 'second')
    git('checkout', '-q', '-b', 'side')
    write('c.txt', 'third\n')
    git('add', '.')
    git('commit', '-q', '-m', 'third')
    commits = git('log', '-2', '--format=%H').split('\n')
    git('checkout', '-q', 'main')
  })
  expect(changes).toEqual({ ...NOTHING, commits, files: ['a.txt', 'c.txt'] })
})

test('the first commit of a repository is evidence', async () => {
  const { write, git, changesBy } = project('git', 'empty')
  git('update-ref', '-d', 'HEAD')
  git('rm', '-rq', '--cached', '.')
  write('.gitignore', 'dir\na.txt\n')
  const changes = await changesBy(() => {
    git('add', '-f', 'a.txt')
    git('commit', '-q', '-m', 'first')
  })
  expect(changes.commits).toHaveLength(1)
})

test('empty commits, amended messages, switched branches and resets are no evidence', async () => {
  const { write, git, changesBy } = project('git')
  write('a.txt', 'second\n')
  git('commit', '-q', '-a', '-m', 'second')
  git('branch', 'old', 'HEAD~1')
  expect(await changesBy(() => git('commit', '-q', '--allow-empty', '-m', 'empty'))).toEqual(NOTHING)
  expect(await changesBy(() => git('commit', '-q', '--amend', '--allow-empty', '-m', 'other words'))).toEqual(NOTHING)
  expect(await changesBy(() => git('reset', '-q', '--soft', 'old'))).toEqual(NOTHING)
  git('reset', '-q', '--hard')
  expect(await changesBy(() => git('checkout', '-q', 'old'))).toEqual(NOTHING)
})

test("fetched commits of others are no evidence; the run's own commits stay evidence after a push", async () => {
  const { path, write, git, changesBy } = project('git')
  const remote = join(dirname(path), 'remote.git')
  git('init', '-q', '--bare', '-b', 'main', remote)
  git('remote', 'add', 'origin', remote)
  write('a.txt', 'theirs\n')
  const long = '2020-01-01T00:00:00Z'
  git('-c', `user.name=other`, 'commit', '-q', '-a', '-m', 'theirs', `--date=${long}`)
  execFileSync(
    'git',
    ['-C', path, '-c', 'user.name=t', '-c', 'user.email=t@x', 'commit', '-q', '--amend', '--no-edit'],
    {
      env: { ...process.env, GIT_COMMITTER_DATE: long },
    },
  )
  git('push', '-q', 'origin', 'main')
  git('reset', '-q', '--hard', 'HEAD~1')
  git('update-ref', '-d', 'refs/remotes/origin/main')
  expect(await changesBy(() => git('pull', '-q', '--ff-only', 'origin', 'main'))).toEqual(NOTHING)
  const changes = await changesBy(() => {
    write('a.txt', 'mine\n')
    git('commit', '-q', '-a', '-m', 'mine')
    git('push', '-q', 'origin', 'main')
  })
  expect(changes).toEqual({ ...NOTHING, commits: [git('rev-parse', 'HEAD')], files: ['a.txt'] })
})

test('a checkout counts as a whole, in whichever of its folders the task runs', async () => {
  const { path, write } = project('git')
  const base = await inPlace.base(join(path, 'dir'), '/nowhere')
  write('a.txt', 'other\n')
  expect(plain(await inPlace.changes(base, { since: Date.now(), artifacts: '/nowhere', home: '/nowhere' }))).toEqual({
    ...NOTHING,
    files: ['a.txt'],
  })
})

test("fleet's own home inside a checkout or folder is no evidence", async () => {
  for (const kind of ['git', 'folder'] as const) {
    const { path, write } = project(kind)
    const home = join(path, '.fleet')
    write('.fleet/tasks/fleet-a1b/attempts/1/tmp/x', 'x')
    const base = await inPlace.base(path, home)
    expect(JSON.stringify(base)).not.toContain('fleet-a1b')
    const since = Date.now()
    write('.fleet/tasks/fleet-a1b/log.jsonl', 'x')
    rmSync(join(home, 'tasks/fleet-a1b/attempts/1/tmp/x'))
    const more = { since, artifacts: join(home, 'tasks/fleet-a1b/artifacts'), home }
    expect(plain(await inPlace.changes(base, more))).toEqual(NOTHING)
  }
})

test("fleet's own home is no evidence if it is named through a link, while git names the real path", async () => {
  for (const kind of ['git', 'folder'] as const) {
    const { path, write } = project(kind)
    const link = `${path}-link`
    symlinkSync(path, link)
    onTestFinished(() => rmSync(link))
    const home = join(link, '.fleet')
    write('.fleet/tasks/fleet-a1b/log.jsonl', 'x')
    const base = await inPlace.base(link, home)
    const since = Date.now()
    write('.fleet/tasks/fleet-a1b/log.jsonl', 'xx')
    write('.fleet/tasks/fleet-a1b/more.jsonl', 'x')
    expect(plain(await inPlace.changes(base, { since, artifacts: '/nowhere', home }))).toEqual(NOTHING)
  }
})

test('files of the Finder are no evidence, in a checkout, a folder and among artifacts', async () => {
  for (const kind of ['git', 'folder'] as const) {
    const { path, write, changesBy } = project(kind)
    write('dir/.DS_Store', 'old')
    const finder = () => {
      write('.DS_Store', 'x')
      write('dir/.DS_Store', 'new')
    }
    expect(await changesBy(finder)).toEqual(NOTHING)
    expect(await changesBy(() => rmSync(join(path, 'dir/.DS_Store')))).toEqual(NOTHING)
    write('artifacts/.DS_Store', 'x')
    write('artifacts/report.md', 'text')
    expect(await inPlace.artifacts(join(path, 'artifacts'))).toEqual(['report.md'])
  }
})

test('a folder that fleet gave an agent inside its home counts', async () => {
  const { path, write } = project('folder', 'home/tasks/fleet-a1b/work')
  const home = join(path, '../../..')
  const base = await inPlace.base(path, home)
  const since = Date.now()
  write('out.txt', 'x')
  expect(plain(await inPlace.changes(base, { since, artifacts: '/nowhere', home }))).toEqual({
    ...NOTHING,
    files: ['out.txt'],
  })
})

test('output files among the artifacts are evidence; plan, knowledge, questions and empty files are not', async () => {
  const { artifacts, changesBy } = project('git')
  const changes = await changesBy(() => {
    for (const name of ['PLAN_AND_STATUS.md', 'KNOWLEDGE.md', 'Q&A.md', 'report.md'])
      writeFileSync(join(artifacts, name), 'text')
    writeFileSync(join(artifacts, 'empty'), '')
    mkdirSync(join(artifacts, 'charts'))
    writeFileSync(join(artifacts, 'charts', 'PLAN_AND_STATUS.md'), 'text')
  })
  expect(changes).toEqual({ ...NOTHING, artifacts: ['charts/PLAN_AND_STATUS.md', 'report.md'] })
})

test('a checkout that is no longer one is unknown, which is no evidence', async () => {
  const { path, changesBy } = project('git')
  expect(await changesBy(() => rmSync(join(path, '.git'), { recursive: true }))).toEqual({
    ...NOTHING,
    unknown: `${path} is no git checkout any more`,
  })
})

test('a directory that has disappeared is reported as unknown', async () => {
  for (const kind of ['git', 'folder'] as const) {
    const { path, write, changesBy } = project(kind)
    write('kept.txt', 'kept')
    const gone = await changesBy(() => rmSync(path, { recursive: true }))
    expect(gone).toEqual({ ...NOTHING, unknown: `its directory ${path} does not exist any more` })
  }
})

test('monitors and hooks that a repository configures are not run, and no lock is taken', async () => {
  const { path, git, write, changesBy } = project('git')
  const trap = join(dirname(path), 'trap.sh')
  const sprung = join(dirname(path), 'sprung')
  writeFileSync(trap, `#!/bin/sh\ntouch '${sprung}'\n`, { mode: 0o755 })
  git('config', 'core.fsmonitor', trap)
  git('config', 'diff.external', trap)
  writeFileSync(join(path, '.git/index.lock'), '')
  expect(await changesBy(() => write('a.txt', 'other\n'))).toEqual({ ...NOTHING, files: ['a.txt'] })
  expect(existsSync(sprung)).toBe(false)
})

test('with more earlier changes than are recorded, timestamps decide', async () => {
  const { path, write, changesBy } = project('git')
  for (let i = 0; i < 2100; i++) write(`many/${String(i).padStart(4, '0')}.txt`, 'x')
  const base = await inPlace.base(path, '/nowhere')
  expect(base).toMatchObject({ kind: 'git', dirtyWhole: false })
  const changes = await changesBy(() => write('many/2099.txt', 'y'))
  expect(changes.files).toContain('many/2099.txt')
})
