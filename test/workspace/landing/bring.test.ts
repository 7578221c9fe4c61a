import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LandingRepository } from '../../support/landing-repository.ts'
import { fill, MEGABYTE, smallDisk } from '../../support/small-disk.ts'

/** The tree that would land: complete enough to be checked, and refused for the reason that there is. */

test('it has the submodules, with commits of the user and of the agent', async () => {
  const it = new LandingRepository()
  const inner = new LandingRepository()
  const allowed = ['-c', 'protocol.file.allow=always']
  it.git(...allowed, 'submodule', '--quiet', 'add', inner.path, 'lib/inner')
  it.git('commit', '-qm', 'inner')
  const first = it.work('x', { 'c.txt': 'c\n' })
  it.commit('meanwhile', { 'a.txt': 'other\n' })
  const inside = async (task: string, work: typeof first): Promise<string | undefined> => {
    const { brought } = await it.bring(task, work)
    const path = brought.kind === 'built' ? join(brought.path, 'lib/inner/a.txt') : ''
    return existsSync(path) ? readFileSync(path, 'utf8') : brought.kind
  }
  expect(await inside('x', first)).toBe('a\n')
  const later = it.work('y', { 'd.txt': 'd\n' })
  const there = join(it.folder, 'worktrees', 'y')
  it.gitIn(there, ...allowed, 'submodule', '--quiet', 'update', '--init')
  inner.commit('newer', { 'a.txt': 'newer\n' })
  it.gitIn(join(there, 'lib/inner'), 'pull', '-q', 'origin', 'main')
  it.gitIn(there, 'commit', '-qam', 'Take the newer one')
  expect(await inside('y', { ...later, commit: it.gitIn(there, 'rev-parse', 'HEAD') })).toBe('newer\n')
})

/** A repository whose target has moved since the work began. */
function moved(prepare: (it: LandingRepository) => void) {
  const it = new LandingRepository()
  it.commit('attributes', { '.gitattributes': '*.big filter=big\n' })
  const work = it.work('x', { 'c.txt': 'c\n', 'd.big': 'd\n' })
  it.commit('meanwhile', { 'a.txt': 'other\n' })
  prepare(it)
  return { it, work }
}

const hook = (name: string, text: string) => (it: LandingRepository) =>
  it.write(`.git/hooks/${name}`, `#!/bin/sh\n${text}\n`, 0o755)

const filter = (text: string) => (it: LandingRepository) => {
  it.git('config', 'filter.big.smudge', text)
  it.git('config', 'filter.big.required', 'true')
}

const setting = (key: string, value: string) => (it: LandingRepository) => void it.git('config', key, value)

test.each<[string, (it: LandingRepository) => void, string]>([
  ['a git that is killed', filter('kill -9 $PPID'), 'git was ended by SIGKILL'],
  ['a server for large files that is away', filter('echo "connection refused" >&2; exit 2'), 'connection refused'],
  ['a hook whose program is missing', hook('commit-msg', 'exec /no/such/lint "$1"'), '/no/such/lint'],
  ['a hook that is killed', hook('commit-msg', 'kill -9 $$'), 'git cannot bring it onto the target'],
  ['a hook on a full disk', hook('commit-msg', 'echo "No space left on device" >&2; exit 1'), 'No space left'],
])('trouble that is none of the work is waited for: %s', async (_, prepare, why) => {
  const { it, work } = moved(prepare)
  const { brought } = await it.bring('x', work, { as: 'squash' })
  expect(brought).toEqual({ kind: 'waits', why: expect.stringContaining(why) })
})

test.each<[string, (it: LandingRepository) => void]>([
  ['merge.ff = false', setting('merge.ff', 'false')],
  ['merge.ff = only', setting('merge.ff', 'only')],
  ['a failing hook after a checkout', hook('post-checkout', 'exit 1')],
])('what stops no work of a person stops no landing: %s', async (_, prepare) => {
  const { it, work } = moved(prepare)
  for (const as of ['squash', 'merge', 'commits'] as const) {
    expect((await it.bring('x', work, { as })).brought).toMatchObject({ kind: 'built' })
  }
})

test('a full disk is waited for while the tree is built', async () => {
  const disk = smallDisk(8)
  if (disk === undefined) return
  const it = new LandingRepository({ home: join(disk, 'home') })
  const work = it.work('x', { 'big.txt': 'b'.repeat(2 * MEGABYTE) })
  const tip = it.commit('meanwhile', { 'a.txt': 'other\n' })
  const ballast = fill(disk, MEGABYTE)
  for (const as of ['commits', 'squash'] as const) {
    expect(await it.land('x', work, { as })).toMatchObject({ kind: 'waits', why: expect.stringContaining('big.txt') })
    // As for each landing that waits.
    it.place.discard('fleet-x')
    await it.place.removed()
  }
  expect(it.git('rev-parse', 'main')).toBe(tip)
  rmSync(ballast)
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
})
