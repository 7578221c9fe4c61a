import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryAt } from '../../src/store/repository.ts'
import { checkOut as checkOutFor } from '../../src/workspace/clone.ts'
import { run, temporaryFolder } from '../support/cli.ts'
import { OWNER } from '../support/git-owner.ts'

const checkOut = (order: Parameters<typeof checkOutFor>[0]) => checkOutFor(order, OWNER)

/** A repository to clone from, and a checkout of it that somebody works in. */
function shop() {
  const folder = temporaryFolder()
  const remote = join(folder, 'shop.git')
  const work = join(folder, 'work')
  const git = (cwd: string, ...argv: string[]) => {
    const done = run('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...argv], { cwd })
    if (done.code !== 0) throw new Error(done.stderr)
    return done.stdout.trim()
  }
  git(folder, 'init', '-q', '--bare', '-b', 'main', remote)
  git(folder, 'clone', '-q', remote, work)
  mkdirSync(join(work, 'web'))
  const commit = (text: string) => {
    writeFileSync(join(work, 'web', 'page.txt'), text)
    git(work, 'add', '.')
    git(work, 'commit', '-q', '-m', text)
    git(work, 'push', '-q', 'origin', 'HEAD:main')
  }
  commit('one')
  const root = join(folder, 'clones', 'shop')
  return { folder, remote, work, root, git, commit, page: () => readFileSync(join(root, 'web/page.txt'), 'utf8') }
}

test('a repository is cloned once, whole, for its owner alone, however many ask at the same time', async () => {
  const { folder, remote, root, page } = shop()
  const order = { remote, root, alone: true }
  expect(await Promise.all([checkOut(order), checkOut(order), checkOut(order)])).toEqual(Array(3).fill(undefined))
  expect(page()).toBe('one')
  expect(readdirSync(join(folder, 'clones'))).toEqual(['shop'])
  expect((statSync(join(folder, 'clones')).mode & 0o777).toString(8)).toBe('700')
})

test('an existing directory keeps its permissions', async () => {
  const { folder, remote, root, page } = shop()
  mkdirSync(join(folder, 'clones'))
  chmodSync(join(folder, 'clones'), 0o755)
  await checkOut({ remote, root, alone: true })
  expect([page(), (statSync(join(folder, 'clones')).mode & 0o777).toString(8)]).toEqual(['one', '755'])
})

test('an existing clone is updated, unless another run uses it', async () => {
  const { remote, root, commit, page } = shop()
  await checkOut({ remote, root, alone: true })
  commit('two')
  expect(await checkOut({ remote, root, alone: false })).toBeUndefined()
  expect(page()).toBe('one')
  expect(await checkOut({ remote, root, alone: true })).toBeUndefined()
  expect(page()).toBe('two')
})

test('the work of an agent in a clone stays, and the reason why the clone was not updated is returned', async () => {
  const { folder, remote, root, git, commit, page } = shop()
  await checkOut({ remote, root, alone: true })
  commit('two')
  writeFileSync(join(root, 'web/page.txt'), 'mine')
  expect(await checkOut({ remote, root, alone: true })).toBe(`${root} has changes of its own and stays as it is`)
  git(root, 'commit', '-q', '-a', '-m', 'mine')
  expect(await checkOut({ remote, root, alone: true })).toBe(`${root} has commits of its own and stays as it is`)
  expect(page()).toBe('mine')
  run('mv', [remote, join(folder, 'away.git')])
  expect(await checkOut({ remote, root, alone: true })).toMatch(/shop\.git could not be fetched: git ended with 128: /)
})

test('a clone that fails leaves nothing behind, and an address that names a program is refused', async () => {
  const { folder, root } = shop()
  await expect(checkOut({ remote: join(folder, 'none.git'), root, alone: true })).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringMatching(/none\.git could not be cloned: git ended with 128: fatal: /),
  })
  expect(readdirSync(join(folder, 'clones'))).toEqual([])
  const touched = join(folder, 'touched')
  await expect(checkOut({ remote: `ext::touch ${touched}`, root, alone: true })).rejects.toThrow('no address')
  expect(existsSync(touched)).toBe(false)
})

test('a directory is known by the origin of its checkout, without the password, and by its folder in it', async () => {
  const { folder, remote, work, git } = shop()
  expect(await repositoryAt(work, process.env)).toEqual({ remote, folder: '' })
  expect(await repositoryAt(join(work, 'web'), process.env)).toEqual({ remote, folder: 'web' })
  git(work, 'remote', 'set-url', 'origin', 'https://ann:s3cret@example.com/shop.git')
  expect(await repositoryAt(work, process.env)).toEqual({ remote: 'https://example.com/shop.git', folder: '' })
  git(work, 'remote', 'remove', 'origin')
  expect(await repositoryAt(work, process.env)).toBeUndefined()
  expect(await repositoryAt(folder, process.env)).toBeUndefined()
})

test("a clone obeys the user's configuration of git that is in force, and not what stands there by now", async () => {
  const { folder, remote, work, root, commit, git } = shop()
  writeFileSync(join(work, '.gitattributes'), '* filter=mine\n')
  commit('two')
  const home = join(folder, 'user')
  mkdirSync(home)
  writeFileSync(join(home, '.gitconfig'), `[filter "mine"]\n\tsmudge = "touch '${join(folder, 'planted')}'; cat"\n`)
  const inForce = '[include]\n\tpath = more\n'
  const more = `[filter "mine"]\n\tsmudge = "tr a-z A-Z"\n`
  const textOf = (path: string) => ({ '/gone/.gitconfig': inForce, '/gone/more': more })[path]
  const before = process.env['HOME']
  process.env['HOME'] = home
  try {
    await checkOutFor({ remote, root, alone: true }, { config: () => ({ paths: ['/gone/.gitconfig'], textOf }) })
  } finally {
    process.env['HOME'] = before
  }
  expect([readFileSync(join(root, 'web/page.txt'), 'utf8'), existsSync(join(folder, 'planted'))]).toEqual([
    'TWO',
    false,
  ])
  expect(git(root, 'config', '--local', '--list')).not.toContain('filter')
})
