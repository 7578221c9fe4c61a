import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { differenceText } from '../../../src/domain/landing/trust.ts'
import { TRAPS } from '../../support/git-traps.ts'
import { LandingRepository } from '../../support/landing-repository.ts'

/** Hooks, filters and configuration of a repository: those of its owner work, and none that an agent has put there runs. */

const hook = (it: LandingRepository, name: string, text: string, folder = '.git/hooks') =>
  it.write(join(folder, name), `#!/bin/sh\n${text}\n`, 0o755)

test('hooks of the owner see a squash, and change or refuse it', async () => {
  const it = new LandingRepository()
  hook(it, 'commit-msg', 'echo "Reviewed-by: hook" >>"$1"')
  expect(await it.land('x', it.work('x', { 'c.txt': 'c\n' }), { as: 'squash' })).toEqual({ kind: 'moved' })
  expect(it.git('log', '-1', '--format=%(trailers:key=Reviewed-by,valueonly)')).toBe('hook')
  hook(it, 'pre-commit', 'echo "no TODO, please" >&2; exit 1')
  const tip = it.git('rev-parse', 'main')
  it.git('config', 'core.hooksPath', '/dev/null')
  const work = it.work('y', { 'd.txt': 'd\n' })
  it.git('config', '--unset', 'core.hooksPath')
  expect(await it.land('y', work, { as: 'squash' })).toEqual({
    kind: 'refused',
    by: 'the hook pre-commit',
    output: 'no TODO, please',
  })
  expect([it.git('rev-parse', 'main'), it.git('status', '--porcelain')]).toEqual([tip, ''])
})

test('hooks in a folder of the project run as they stood there, with the scripts beside them', async () => {
  const it = new LandingRepository()
  hook(it, 'post-merge', '"$(dirname "$0")/../tool" post', '.husky/_')
  hook(it, '../tool', `echo "$1" >>'${join(it.folder, 'ran')}'`, '.husky/_')
  it.git('add', '.')
  it.git('commit', '-qm', 'hooks')
  it.git('config', 'core.hooksPath', '.husky/_')
  const work = it.work('x', { 'c.txt': 'c\n', '.husky/tool': '#!/bin/sh\nexit 1\n' })
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect(readFileSync(join(it.folder, 'ran'), 'utf8')).toBe('post\n')
})

test("hooks in the user's own folder run as they stood there, and a change of them is one of the repository's", async () => {
  const it = new LandingRepository()
  const folder = join(it.folder, 'my-hooks')
  const put = (text: string) => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'post-merge'), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  }
  put(`echo mine >>'${join(it.folder, 'ran')}'`)
  it.git('config', 'core.hooksPath', folder)
  expect(await it.land('x', it.work('x', { 'c.txt': 'c\n' }))).toEqual({ kind: 'moved' })
  const before = (await it.place.programs(it.path))?.fingerprint as string
  put(`echo planted >>'${join(it.folder, 'ran')}'`)
  expect(await it.land('y', it.work('y', { 'd.txt': 'd\n' }), { before })).toEqual({ kind: 'programs-changed' })
  expect(readFileSync(join(it.folder, 'ran'), 'utf8')).toBe('mine\n')
})

test.each(['.git/info/attributes', '.git/hooks/post-merge'])('a huge %s is refused and not read', async (path) => {
  const it = new LandingRepository()
  it.write(path, '', 0o755)
  truncateSync(join(it.path, path), 2 ** 31)
  const before = process.memoryUsage().rss
  await expect(it.place.programs(it.path)).rejects.toThrow(/reads at most|more than fleet takes/)
  expect(process.memoryUsage().rss - before).toBeLessThan(256 << 20)
})

test('filters of the owner work, as for large files', async () => {
  const it = new LandingRepository()
  it.git('config', 'filter.shout.smudge', 'tr a-z A-Z')
  it.git('config', 'filter.shout.clean', 'tr A-Z a-z')
  it.commit('attributes', { '.gitattributes': '*.loud filter=shout\n' })
  const work = it.work('x', { 'new.loud': 'hello\n' })
  it.commit('meanwhile', { 'a.txt': 'other\n' })
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect([it.git('show', 'main:new.loud'), readFileSync(join(it.path, 'new.loud'), 'utf8')]).toEqual([
    'hello',
    'HELLO\n',
  ])
  expect(it.git('status', '--porcelain')).toBe('')
})

test('a setting that starts nothing does not count as a change', async () => {
  const it = new LandingRepository()
  const before = await it.place.programs(it.path)
  it.git('branch', 'topic')
  it.git('config', 'branch.topic.remote', 'origin')
  it.git('config', 'user.name', 'Somebody Else')
  expect(await it.place.programs(it.path)).toMatchObject({ fingerprint: before?.fingerprint, parts: before?.parts })
  it.git('config', 'alias.st', 'status')
  it.write('.git/hooks/post-commit', 'true\n', 0o755)
  const after = await it.place.programs(it.path)
  expect(after?.fingerprint).not.toBe(before?.fingerprint)
  expect(before && after && differenceText(before, after)).toBe('hook post-commit (new), setting alias.st (new)')
})

test('without an identity of the user, git says so, and the landing waits', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' })
  it.commit('meanwhile', { 'a.txt': 'other\n' })
  it.git('config', 'user.name', '')
  expect(await it.land('x', work)).toMatchObject({
    kind: 'waits',
    why: expect.stringMatching(/empty ident name/),
  })
})

for (const [name, { plant }] of Object.entries(TRAPS)) {
  test(`an agent's program is never run: ${name}`, async () => {
    const it = new LandingRepository()
    it.commit('kept', { 'kept.txt': 'kept\n' })
    const before = (await it.place.programs(it.path))?.fingerprint as string
    const work = it.work('x', { 'c.txt': 'c\n', 'kept.txt': 'changed\n' })
    it.commit('meanwhile', { 'a.txt': 'other\n' })
    const mark = join(it.folder, 'mark')
    const program = join(it.folder, 'trap')
    writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\ncat\n`, { mode: 0o755 })
    plant(
      {
        root: it.path,
        git: (...argv) => it.git(...argv),
        put(path, text, mode = 0o644) {
          mkdirSync(dirname(join(it.path, path)), { recursive: true })
          writeFileSync(join(it.path, path), text, { mode })
        },
      },
      program,
    )
    const done = await it
      .land('x', work, { as: 'squash', before })
      .catch((error: Error) => ({ kind: 'failed', why: error.message }))
    expect({ kind: done.kind, ran: existsSync(mark) }).toEqual({
      kind: expect.stringMatching(/^(programs-changed|moved|waits|gone|failed)$/),
      ran: false,
    })
  })
}
