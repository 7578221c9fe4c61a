import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LandingRepository } from '../../support/landing-repository.ts'

const bare = (it: LandingRepository): string => join(it.folder, 'remote.git')

async function pushed(it: LandingRepository) {
  const fingerprint = (await it.place.programs(it.path))?.fingerprint as string
  return await it.place.push({ task: 'x', repository: it.path, target: 'main', fingerprint })
}

function withRemote(): LandingRepository {
  const it = new LandingRepository()
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare(it)])
  it.git('remote', 'add', 'origin', bare(it))
  it.git('push', '-q', 'origin', 'main')
  return it
}

test('a push that is refused, or whose server is away, waits and forces nothing', async () => {
  const it = withRemote()
  it.commit('landed', { 'a.txt': 'mine\n' })
  expect(await pushed(it)).toEqual({ kind: 'pushed' })
  const theirs = it.git('commit-tree', '-p', 'main', '-m', 'theirs', 'main^{tree}')
  it.git('push', '-q', 'origin', `${theirs}:main`)
  it.commit('landed, too', { 'b.txt': 'mine\n' })
  expect(await pushed(it)).toEqual({ kind: 'waits', why: expect.stringContaining('[rejected]') })
  expect(it.gitIn(bare(it), 'rev-parse', 'main')).toBe(theirs)
  it.git('merge', '-q', '-m', 'both', theirs)
  renameSync(bare(it), `${bare(it)}-away`)
  expect(await pushed(it)).toEqual({ kind: 'waits', why: expect.stringContaining('does not appear to be a git') })
  renameSync(`${bare(it)}-away`, bare(it))
  expect(await pushed(it)).toEqual({ kind: 'pushed' })
  expect(it.gitIn(bare(it), 'rev-parse', 'main')).toBe(it.git('rev-parse', 'main'))
})

test('a push goes where git would push, and to a remote of the repository alone', async () => {
  const it = withRemote()
  const another = (name: string) => {
    const path = join(it.folder, `${name}.git`)
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', path])
    return path
  }
  const [evil, fork] = [another('evil'), another('fork')]
  const before = it.git('rev-parse', 'main')
  it.commit('landed', { 'a.txt': 'mine\n' })
  it.git('config', 'branch.main.remote', evil)
  expect(await pushed(it)).toEqual({
    kind: 'waits',
    why: expect.stringContaining(`pushed to ${evil}, which is no remote`),
  })
  expect(() => it.gitIn(evil, 'rev-parse', '--verify', 'main')).toThrow()
  it.git('remote', 'add', 'fork', fork)
  it.git('config', 'branch.main.remote', 'origin')
  it.git('config', 'remote.pushDefault', 'fork')
  expect(await pushed(it)).toEqual({ kind: 'pushed' })
  expect([it.gitIn(bare(it), 'rev-parse', 'main'), it.gitIn(fork, 'rev-parse', 'main')]).toEqual([
    before,
    it.git('rev-parse', 'main'),
  ])
  it.git('config', 'branch.main.pushRemote', 'origin')
  expect(await pushed(it)).toEqual({ kind: 'pushed' })
  expect(it.gitIn(bare(it), 'rev-parse', 'main')).toBe(it.git('rev-parse', 'main'))
})
