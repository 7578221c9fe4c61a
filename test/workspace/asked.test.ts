import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type AskedEvidence, askedEvidence, meets } from '../../src/domain/evidence/asked.ts'
import { attributed } from '../../src/domain/evidence/attribution.ts'
import { EVERYWHERE, type Work } from '../../src/domain/evidence/work.ts'
import { inPlace } from '../../src/workspace/in-place.ts'
import { type Project, project } from '../support/project.ts'

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER }
const ALONE: Work = { life: ALWAYS, named: new Set(), open: [ALWAYS], left: [], reach: EVERYWHERE }

/** Whether the evidence is there after the work. */
async function isMet({ path, artifacts }: Project, evidence: string, work: () => void): Promise<boolean> {
  const asked = askedEvidence(evidence) as AskedEvidence
  const base = JSON.parse(JSON.stringify(await inPlace.base(path, '/nowhere', asked)))
  const since = Date.now()
  work()
  const found = await inPlace.changes(base, { since, artifacts, home: '/nowhere' })
  const changes = attributed(found, { own: [ALONE], others: [], isApart: false })
  const [at = ''] = base.asked.path === undefined ? [] : inPlace.spelled(base, [base.asked.path.path], path)
  return meets(asked, changes, at)
}

test.for(['git', 'folder'] as const)('evidence at a path counts there alone, however small (%s)', async (kind) => {
  const on = project(kind)
  const { path, write } = on
  write('dist/old.js', 'old\n')
  write('run.sh', 'true\n')
  const outside = join(dirname(path), 'outside')
  mkdirSync(outside)
  const looks: readonly (readonly [string, () => void, boolean])[] = [
    ['path:dist', () => write('elsewhere.txt', 'x\n'), false],
    ['path:dist', () => write('dist/deep/new.js', ''), true],
    ['path:dist', () => write('dist/old.js', 'old\n'), false],
    ['path:dist', () => rmSync(join(path, 'dist/old.js')), true],
    ['path:run.sh', () => write('run.sh', 'true\n'), false],
    ['path:run.sh', () => chmodSync(join(path, 'run.sh'), 0o755), true],
    ['path:NOTES.md', () => {}, false],
    ['path:NOTES.md', () => write('NOTES.md', 'notes\n'), true],
    [`path:${outside}`, () => writeFileSync(join(outside, 'report.txt'), 'report\n'), true],
    ['path:later', () => write('later/made.txt', 'x\n'), true],
    ['path:.', () => write('any.txt', 'x\n'), true],
  ]
  for (const [evidence, work, wanted] of looks)
    expect([evidence, work.toString(), await isMet(on, evidence, work)]).toEqual([evidence, work.toString(), wanted])
})

test('evidence on a branch is a commit, or a branch or tag that was made, moved or deleted; files are not', async () => {
  const on = project('git')
  const { write, git } = on
  git('branch', 'old')
  const looks: readonly (readonly [string, () => void, boolean])[] = [
    ['branch', () => write('a.txt', 'more\n'), false],
    ['branch', () => git('commit', '-q', '-a', '-m', 'what was there'), true],
    ['branch', () => git('tag', 'v1'), true],
    ['branch', () => git('branch', '-q', '-f', 'old', 'main'), true],
    ['branch', () => git('branch', '-q', '-D', 'old'), true],
    ['branch', () => git('log'), false],
    ['none', () => {}, true],
  ]
  for (const [evidence, work, wanted] of looks)
    expect([evidence, work.toString(), await isMet(on, evidence, work)]).toEqual([evidence, work.toString(), wanted])
})

test('what a fetch brings is no evidence on a branch; what is pushed or tagged here is', async () => {
  const on = project('git')
  const { path, write, git } = on
  const folder = dirname(path)
  const there = (...argv: string[]) => git('-C', join(folder, 'theirs'), ...argv)
  git('clone', '-q', '--bare', path, join(folder, 'remote.git'))
  git('remote', 'add', 'origin', join(folder, 'remote.git'))
  git('fetch', '-q')
  git('clone', '-q', join(folder, 'remote.git'), join(folder, 'theirs'))
  for (const [branch, text] of Object.entries({ main: 'theirs', gone: 'gone' })) {
    there('checkout', '-q', '-B', branch)
    writeFileSync(join(folder, 'theirs/a.txt'), text)
    there('commit', '-q', '-a', '-m', text)
    there('push', '-q', 'origin', branch)
  }
  there('tag', 'plain')
  there('tag', '-a', '-m', 'theirs', 'annotated')
  there('push', '-q', '--tags')
  const prunes = () => {
    there('push', '-q', 'origin', ':gone')
    git('fetch', '-q', '--prune')
  }
  const known = git('rev-parse', 'HEAD')
  const fetchesTags = () => {
    there('tag', 'light', known)
    there('tag', '-a', '-m', 'theirs', 'heavy', known)
    there('push', '-q', '--tags')
    git('fetch', '-q', 'origin', 'tag', 'light')
    git('fetch', '-q', '--tags')
  }
  const tagsAndFetches = () => {
    git('tag', 'own', known)
    git('fetch', '-q', '--tags')
  }
  const looks: readonly (readonly [string, () => void, boolean])[] = [
    ['branch', () => git('fetch', '-q'), false],
    ['branch', prunes, false],
    ['branch', fetchesTags, false],
    ['branch', tagsAndFetches, true],
    ['branch', () => git('tag', 'mine', 'origin/main'), true],
    ['branch', () => git('push', '-q', 'origin', 'main:published'), true],
    [
      'pr',
      () => {
        git('checkout', '-q', '-b', 'feature')
        write('b.txt', 'mine\n')
        git('add', '.')
        git('commit', '-q', '-m', 'mine')
        git('push', '-q', 'origin', 'feature')
        git('checkout', '-q', 'main')
        git('branch', '-q', '-D', 'feature')
      },
      true,
    ],
  ]
  for (const [evidence, work, wanted] of looks)
    expect([evidence, work.toString(), await isMet(on, evidence, work)]).toEqual([evidence, work.toString(), wanted])
})

test('a commit that was pushed to a bare address and is on no branch here is evidence of a pull request', async () => {
  const on = project('git')
  const { path, write, git } = on
  const remote = join(dirname(path), 'remote.git')
  git('init', '-q', '--bare', '-b', 'main', remote)
  const work = (): void => {
    git('checkout', '-q', '--detach')
    write('a.txt', `${Math.random()}\n`)
    git('commit', '-q', '-a', '-m', 'mine')
    git('push', '-q', '-f', remote, 'HEAD:refs/heads/feature')
    git('checkout', '-q', 'main')
  }
  expect([await isMet(on, 'branch', work), await isMet(on, 'pr', work)]).toEqual([false, true])
})

test.for(['', 'path:', 'path: ', 'somewhere', 'branch:x'])('%s is no evidence that fleet knows', (text) => {
  expect(askedEvidence(text)).toBeUndefined()
})

test('where nobody knew what stood at the path, only what changed since a moment is found there', async () => {
  const { path, artifacts, write } = project('git')
  write('dist/out.js', 'out\n')
  write('out.txt', 'out\n')
  const base = await inPlace.base(path, '/nowhere')
  const found = async (name: string, since: number) => {
    const evidence = { kind: 'path', path: name } as const
    const asked = { evidence, path: { path: join(path, name), files: {}, whole: false, since } }
    const { files } = await inPlace.changes({ ...base, asked }, { since: Date.now(), artifacts, home: '/nowhere' })
    return files.map((file) => file.path)
  }
  // The coarsest file systems count in two seconds.
  for (const [since, wanted] of [
    [Date.now() - 10_000, [['dist/out.js'], ['out.txt']]],
    [Date.now() + 10_000, [[], []]],
  ] as const)
    expect([await found('dist', since), await found('out.txt', since)]).toEqual(wanted)
})
