import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDiff } from '../../../src/views/diff/read-diff.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { project } from '../../support/project.ts'

/** A checkout without a commit, and the folder of an attempt that began there. */
function checkout(files: Readonly<Record<string, string>>): { root: string; attempt: string } {
  const folder = temporaryFolder()
  const [root, attempt] = [join(folder, 'project'), join(folder, 'attempt')]
  for (const each of [root, attempt]) mkdirSync(each)
  execFileSync('git', ['init', '-q'], { cwd: root })
  writeFileSync(join(attempt, 'launch.json'), JSON.stringify({ base: { kind: 'git', root, head: null } }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  return { root, attempt }
}

test('a new file whose name is a hyphen is shown with its content', async () => {
  const { attempt } = checkout({ '-': 'text\n', '--help': 'help\n' })
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += Buffer.from(bytes).toString()
  }
  const { newFiles, leftOut } = await readDiff(
    { folder: attempt, launch: undefined, own: undefined },
    { env: process.env, take },
  )
  expect({ newFiles, leftOut }).toEqual({ newFiles: ['-', '--help'], leftOut: [] })
  expect(text).toContain('+text\n')
  expect(text).toContain('+help\n')
})

test('a new file that is gone when its turn comes is left out, and the others are shown', async () => {
  const { root, attempt } = checkout({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': '' })
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += Buffer.from(bytes).toString()
    rmSync(join(root, 'b.txt'), { force: true })
  }
  const { newFiles, leftOut } = await readDiff(
    { folder: attempt, launch: undefined, own: undefined },
    { env: process.env, take },
  )
  expect({ newFiles, leftOut }).toEqual({ newFiles: ['a.txt', 'b.txt', 'c.txt'], leftOut: ['b.txt'] })
  expect(text).toContain('+a\n')
  expect(text).toContain('b/c.txt\n')
})

test('the diff of a task has its commits on other branches, and names what it cannot show', async () => {
  const { path, write, git } = project('git')
  const attempt = temporaryFolder()
  const base = { kind: 'git', root: path, head: git('rev-parse', 'HEAD') }
  writeFileSync(join(attempt, 'launch.json'), JSON.stringify({ base }))
  git('checkout', '-q', '-b', 'feature')
  write('a.txt', 'on the branch\n')
  git('commit', '-q', '-a', '-m', 'mine')
  const made = [git('rev-parse', 'HEAD')]
  git('checkout', '-q', 'main')
  git('init', '-q', 'inner')
  write('inner/i.txt', 'inner\n')
  write('theirs.txt', 'theirs\n')
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += Buffer.from(bytes).toString()
  }
  const place = { folder: attempt, launch: undefined, made }
  const own = new Set(['a.txt', '/elsewhere/s.txt', 'dir/b.txt', 'gone.txt'])
  expect(await readDiff({ ...place, own }, { env: process.env, take })).toEqual({
    root: path,
    since: base.head,
    newFiles: [],
    leftOut: ['/elsewhere/s.txt'],
    onTop: [],
    isOfAll: false,
    others: ['inner/', 'theirs.txt'],
  })
  expect(text).toContain('+on the branch\n')
  expect(text).not.toContain('theirs')
  expect(await readDiff({ ...place, own: undefined }, { env: process.env, take })).toMatchObject({ isOfAll: true })
})

test('the diff of a task has its work in repositories inside and beside the checkout, and its new files elsewhere', async () => {
  const { path, git, write } = project('git')
  const [beside, reports] = [temporaryFolder(), temporaryFolder()]
  const before = (folder: string, ...argv: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...argv], {
      env: { ...process.env, GIT_COMMITTER_DATE: '2026-01-01T12:00:00Z' },
      encoding: 'utf8',
    }).trim()
  for (const [folder, name] of [
    [join(path, 'inner'), 'i.txt'],
    [beside, 's.txt'],
  ] as const) {
    mkdirSync(folder, { recursive: true })
    before(folder, 'init', '-q')
    for (const each of [name, 'theirs.txt']) writeFileSync(join(folder, each), 'before\n')
    before(folder, 'add', '.')
    before(folder, 'commit', '-q', '-m', 'one')
  }
  const inner = before(join(path, 'inner'), 'rev-parse', 'HEAD')
  const startedAt = Date.now() - 1
  write('inner/i.txt', 'after inside\n')
  before(join(path, 'inner'), 'commit', '-q', '-a', '-m', 'mine')
  writeFileSync(join(beside, 's.txt'), 'after beside\n')
  for (const folder of [join(path, 'inner'), beside]) writeFileSync(join(folder, 'theirs.txt'), 'theirs\n')
  writeFileSync(join(beside, 'new.txt'), 'new beside\n')
  writeFileSync(join(reports, 'report.md'), 'found nothing\n')
  const attempt = temporaryFolder()
  const dirty = { 'inner/': `R${inner}`, 'a.txt': '1' }
  write('a.txt', 'on top\n')
  writeFileSync(
    join(attempt, 'launch.json'),
    JSON.stringify({ base: { kind: 'git', root: path, head: git('rev-parse', 'HEAD'), dirty } }),
  )
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += Buffer.from(bytes).toString()
  }
  const [sibling, sister, report] = [join(beside, 's.txt'), join(beside, 'new.txt'), join(reports, 'report.md')]
  const own = new Set(['a.txt', 'inner/i.txt', sibling, sister, report])
  const read = await readDiff({ folder: attempt, launch: undefined, own, startedAt }, { env: process.env, take })
  expect(read).toMatchObject({ leftOut: [], onTop: ['a.txt'], others: [] })
  for (const line of ['-before\n+after inside', '-before\n+after beside', '+new beside', '+found nothing'])
    expect(text).toContain(`${line}\n`)
  expect(text).toContain('+++ b/inner/i.txt\n')
  expect(text).toMatch(/^\+\+\+ b\/\.\.\/.*\/s\.txt$/m)
  expect(text).not.toContain('theirs')
})
