import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { includedBy, isSameConfig, userConfigPaths, writeUserConfig } from '../../../src/platform/git/user-config.ts'
import { temporaryFolder } from '../../support/cli.ts'

test('git reads the copy as it would read the files: order, includes, and conditions on folders', () => {
  const folder = temporaryFolder()
  const [home, work] = [join(folder, 'me'), join(folder, 'me/work/shop')]
  mkdirSync(work, { recursive: true })
  execFileSync('git', ['init', '-q', work])
  const all: Readonly<Record<string, string>> = {
    '.config/git/config': '[core]\n\teditor = one\n[a]\n\tb = true\n',
    '.gitconfig':
      '[core]\n\teditor = "two; words"\n[include]\n\tpath = more\n\tpath = gone\n[includeIf "gitdir:./work/"]\n\tpath = ~/at-work\n[includeIf "gitdir:/elsewhere/"]\n\tpath = never\n',
    more: '[filter "x y"]\n\tclean = "tr a \\"b\\""\n',
    'at-work': '[user]\n\temail = me@work.example\n',
    never: '[user]\n\temail = wrong\n',
  }
  mkdirSync(join(home, '.config/git'), { recursive: true })
  for (const [name, text] of Object.entries(all)) writeFileSync(join(home, name), text)
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  const list = (more: NodeJS.ProcessEnv) =>
    execFileSync('git', ['-C', work, 'config', '--list', '--includes'], { env: { ...env, ...more }, encoding: 'utf8' })
      .split('\n')
      .filter((line) => !/^(include|includeif\..*)\.?path=|^core\.(repo|file|bare|log)/.test(line))
  const textOf = (path: string) => all[path.slice(home.length + 1)]
  const given = writeUserConfig({ paths: userConfigPaths(env), textOf }, { folder: join(folder, 'copy'), env })
  writeFileSync(join(home, '.gitconfig'), '[core]\n\teditor = planted\n')
  const copied = list(given)
  writeFileSync(join(home, '.gitconfig'), all['.gitconfig'] ?? '')
  expect(copied).toEqual(list({}))
  expect(copied).toContain('user.email=me@work.example')
})

test('files that include each other end', () => {
  const folder = temporaryFolder()
  const textOf = (path: string) =>
    path === '/a' ? '[include]\n\tpath = /b\n' : '[include]\n\tpath = /a\n[x]\n\ty = 1\n'
  expect(() => writeUserConfig({ paths: ['/a'], textOf }, { folder, env: {} })).not.toThrow()
  expect(
    includedBy('/home/me/.gitconfig', '[include]\n\tpath = x\n[includeIf "onbranch:y"]\n\tpath = ~/z\n', {
      HOME: '/me',
    }),
  ).toEqual(['/home/me/x', '/me/z'])
})

test('what starts nothing is no change: names, addresses, trusted directories, colours, layout', () => {
  const before = '[user]\n\tname = Ada\n[filter "lfs"]\n\tclean = git-lfs clean -- %f\n'
  const same =
    '# mine\n[filter "lfs"]\nclean = "git-lfs clean -- %f"\n[safe]\ndirectory = *\n[user]\nname = Eve\n[color]\nui = never\n'
  expect(isSameConfig(before, same)).toBe(true)
  for (const more of [
    '[filter "lfs"]\nclean = evil',
    '[core]\nhooksPath = /evil',
    '[alias]\nst = !evil',
    '[include]\npath = evil',
  ])
    expect({ more, same: isSameConfig(before, before + more) }).toEqual({ more, same: false })
})
