import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryAround } from '../../../src/platform/sandbox/repository.ts'
import { run, temporaryFolder } from '../../support/cli.ts'

test('the folders of a repository are those of git, of a linked worktree only if they lead back to it', () => {
  const top = realpathSync(temporaryFolder())
  const git = (...argv: string[]) => run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], { cwd: top })
  git('init', '-q', 'shop')
  git('-C', 'shop', 'commit', '-qm', 'a', '--allow-empty')
  git('-C', 'shop', 'worktree', 'add', '-q', '../linked')
  for (const path of ['shop/.git/modules/libs/m/modules/n', 'shop/sub', 'keys', 'made'])
    mkdirSync(join(top, path), { recursive: true })
  for (const path of ['libs/m/HEAD', 'libs/m/modules/n/HEAD']) writeFileSync(join(top, 'shop/.git/modules', path), '')
  writeFileSync(join(top, 'shop/sub/.git'), 'gitdir: ../.git/modules/libs/m\n')
  const [shop, linked, sub] = ['shop', 'linked', 'shop/sub'].map((name) => join(top, name))
  const modules = ['libs/m', 'libs/m/modules/n'].map((name) => join(top, 'shop/.git/modules', name))
  const shared = join(top, 'shop/.git')
  expect(repositoryAround(`${shop}`)).toEqual({ root: shop, entry: shared, folders: [shared], modules, closed: [] })
  expect(repositoryAround(`${linked}`)).toEqual({
    root: linked,
    entry: `${linked}/.git`,
    folders: [`${shared}/worktrees/linked`, shared],
    modules,
    closed: [],
  })
  expect(repositoryAround(`${sub}`)).toMatchObject({ root: sub, folders: [modules[0]], modules: [modules[1]] })

  const entry = join(top, 'made/.git')
  for (const named of ['../keys', '../shop/.git', '../shop/.git/worktrees/linked', '../shop/.git/modules/libs/m']) {
    writeFileSync(entry, `gitdir: ${named}\n`)
    expect(repositoryAround(join(top, 'made')), named).toMatchObject({ root: join(top, 'made'), folders: [] })
  }
  rmSync(entry)
  symlinkSync('../keys', entry)
  expect(repositoryAround(join(top, 'made'))).toMatchObject({ folders: [] })
})
