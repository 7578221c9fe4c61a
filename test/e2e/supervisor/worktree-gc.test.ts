import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, init, result, testFleet, tool, writes } from '../../support/supervisor.ts'

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

test('fleet gc removes the worktrees of closed tasks that have landed or hold nothing, and names those with work', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const work = (file: string) => [init, writes(file), claims(), result()]
  const large = tool({ run: ['sh', '-c', 'yes | head -c 200000 >landed.txt'] })
  const landed = fleet.create('Landed', [init, large, claims(), result()], '--cwd', repository)
  const nothing = fleet.create('Nothing', 'true', '--cwd', repository)
  await fleet.start()
  for (const id of [landed, nothing]) await fleet.settled(id, 'closed')
  expect(fleet.fleet('config', 'set', `projects.${repository}.land=manual`)).toMatchObject({ code: 0 })
  const given = fleet.create('Given up', work('given-up.txt'), '--cwd', repository)
  const dirty = fleet.create('Dirty', 'true', '--cwd', repository)
  const open = fleet.create('Open', work('open.txt'), '--cwd', repository)
  await fleet.settled(dirty, 'closed')
  for (const id of [given, open]) await fleet.settled(id, 'blocked')
  expect(fleet.fleet('bd', 'close', given)).toMatchObject({ code: 0 })
  const path = (id: string): string => join(fleet.home.path, 'worktrees', id)
  writeFileSync(join(path(dirty), 'mine.txt'), 'of the person\n')
  await fleet.end('SIGTERM')

  const all = [landed, nothing, given, dirty, open]
  const there = () => all.filter((id) => existsSync(path(id)))
  const branches = () => git(repository, 'branch', '--list', 'fleet/*', '--format=%(refname:short)').split('\n').sort()
  const would = JSON.parse(fleet.fleet('gc', '--dry-run', '--json').stdout)
  expect(would.worktrees).toEqual({ removed: expect.arrayContaining([landed, nothing]), kept: expect.anything() })
  expect(would.bytes).toBeGreaterThanOrEqual(200_000)
  expect(there()).toEqual(all)
  const { stdout } = fleet.fleet('gc')
  expect(stdout).toMatch(/2 worktrees removed: [2-9]\d\d kB freed/)
  expect(stdout).toContain(`Kept ${path(given)} of ${given}: fleet/${given} has commits that are on no other branch.\n`)
  expect(stdout).toContain(`Kept ${path(dirty)} of ${dirty}: it has changes that are not committed.\n`)
  expect(there()).toEqual([given, dirty, open])
  expect(branches()).toEqual([given, dirty, open].map((id) => `fleet/${id}`).sort())
  expect(git(repository, 'worktree', 'list', '--porcelain')).not.toContain(landed)
  expect(git(repository, 'log', '--format=%s', 'main')).toContain('Landed')
  const diff = fleet.fleet('task', landed, 'diff')
  expect({ ...diff, stdout: diff.stdout.slice(0, 39) }).toEqual({
    code: 0,
    stdout: 'diff --git a/landed.txt b/landed.txt\nne',
    stderr: '',
  })

  // A branch in a packed file, and a worktree that somebody removed before.
  git(repository, 'merge', '-q', '--no-edit', `fleet/${given}`)
  git(repository, 'pack-refs', '--all')
  rmSync(path(given), { recursive: true })
  expect(fleet.fleet('gc').stdout).toContain('1 worktree removed')
  expect(branches()).toEqual([dirty, open].map((id) => `fleet/${id}`).sort())
  expect(git(repository, 'fsck', '--connectivity-only', '--no-dangling')).toBe('')
})

test('work that was squashed stays under a ref of its own when its branch is removed', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  expect(fleet.fleet('config', 'set', `projects.${repository}.land_as=squash`)).toMatchObject({ code: 0, stderr: '' })
  const id = fleet.create('Squashed', [init, writes('a.txt'), claims(), result()], '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'closed')
  const tip = git(repository, 'rev-parse', `fleet/${id}`)
  const run = fleet.runs(id)[0]?.id
  expect(fleet.fleet('gc').stdout).toContain('1 worktree removed')
  expect(git(repository, 'rev-parse', `refs/fleet/rescue/${run}`)).toBe(tip)
  expect(git(repository, 'branch', '--list', 'fleet/*')).toBe('')
})

test('output that git ignores stays where its task asked for it, and goes where the setup of the worktree made it', async () => {
  const fleet = testFleet({ config: ['coder=shell', 'isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  writeFileSync(join(repository, '.gitignore'), 'out/\n*.db\n')
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'Ignore')
  expect(fleet.fleet('config', 'set', `projects.${repository}.setup=echo x >cache.db`)).toMatchObject({ code: 0 })
  const asked = fleet.create(
    ...(['Report', 'mkdir out && echo report >out/report.txt', '--cwd', repository] as const),
    ...['--evidence', 'path:out'],
  )
  const nothing = fleet.create('Nothing', 'cat cache.db', '--cwd', repository)
  await fleet.start()
  for (const id of [asked, nothing]) await fleet.settled(id, 'closed')
  const path = (id: string): string => join(fleet.home.path, 'worktrees', id)
  const { stdout } = fleet.fleet('gc')
  expect(stdout).toContain('1 worktree removed')
  expect(stdout).toContain(`Kept ${path(asked)} of ${asked}: it has files that git does not keep: out/report.txt.\n`)
  expect([asked, nothing].map((id) => existsSync(path(id)))).toEqual([true, false])
})
