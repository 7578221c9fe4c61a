import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Home } from '../../src/platform/files/home.ts'
import { ownCommand as checkedCommand } from '../../src/store/own-command.ts'
import { eventually } from '../support/agents.ts'
import { run, temporaryFolder } from '../support/cli.ts'

/** Checked once, in a home that has no record. */
function ownCommand(home: Home, program: { node: string; fleet: string }): string {
  return checkedCommand(home, { program, lastWritten: () => undefined, wrote: () => {}, repaired: () => {} })()
}

test("an agent's fleet runs the program that it is told to, whatever its path and arguments hold", () => {
  const folder = temporaryFolder()
  const odd = join(folder, `it's "odd" $HOME \`x\``)
  mkdirSync(odd)
  const program = join(odd, 'fleet.cjs')
  writeFileSync(program, 'console.log(JSON.stringify(process.argv.slice(2)))')
  const bin = ownCommand(new Home(folder), { node: process.execPath, fleet: program })
  expect(run(join(bin, 'fleet'), ['done', `a "b" $c 'd'`, ''])).toEqual({
    code: 0,
    stdout: `${JSON.stringify(['done', `a "b" $c 'd'`, ''])}\n`,
    stderr: '',
  })
  expect([bin, join(bin, 'fleet')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700])
})

test('it is written again only when it has changed, and never through a link', () => {
  const folder = temporaryFolder()
  const home = new Home(folder)
  const path = join(ownCommand(home, { node: '/n', fleet: '/f' }), 'fleet')
  const { ino } = statSync(path)
  ownCommand(home, { node: '/n', fleet: '/f' })
  expect(statSync(path).ino).toBe(ino)
  chmodSync(path, 0o600)
  ownCommand(home, { node: '/n', fleet: '/f' })
  expect(statSync(path).mode & 0o777).toBe(0o700)

  const elsewhere = join(folder, 'bashrc')
  writeFileSync(elsewhere, 'mine')
  const other = new Home(join(folder, 'other'))
  mkdirSync(join(other.path, 'bin'), { recursive: true })
  symlinkSync(elsewhere, join(other.path, 'bin', 'fleet'))
  ownCommand(other, { node: '/n', fleet: '/f' })
  expect([readFileSync(elsewhere, 'utf8'), readFileSync(join(other.path, 'bin', 'fleet'), 'utf8')]).toEqual([
    'mine',
    `#!/bin/sh\nexec '/n' '/f' "$@"\n`,
  ])
})

test('a folder that has stood for a while is found to be changed all the same, also with its times put back', async () => {
  const home = new Home(temporaryFolder())
  const noted: string[] = []
  const check = checkedCommand(home, {
    program: { node: '/n', fleet: '/f' },
    lastWritten: () => `#!/bin/sh\nexec '/n' '/f' "$@"\n`,
    wrote: () => {},
    repaired: () => noted.push('repaired'),
  })
  const bin = check()
  const path = join(bin, 'fleet')
  const text = readFileSync(path, 'utf8')
  const { atime, mtime } = statSync(path)
  const hasStood = () => Date.now() - Math.max(statSync(path).ctimeMs, statSync(bin).ctimeMs) > 1100
  const damages = [
    () => writeFileSync(path, text.replace('/f', '/e')),
    () => writeFileSync(join(bin, 'git'), 'evil', { mode: 0o700 }),
    () => chmodSync(path, 0o722),
  ]
  for (const damage of damages) {
    await eventually(hasStood, 'its times are old')
    check()
    check()
    damage()
    utimesSync(path, atime, mtime)
    utimesSync(bin, atime, mtime)
    check()
    expect([readdirSync(bin), readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([
      ['fleet'],
      text,
      0o700,
    ])
  }
  expect(noted).toEqual(damages.map(() => 'repaired'))
})

test('anything in the folder that fleet did not put there is moved away and reported, and an update is not', () => {
  const home = new Home(temporaryFolder())
  let last: string | undefined
  let repairs = 0
  const check = (fleet: string): string =>
    checkedCommand(home, {
      program: { node: '/n', fleet },
      lastWritten: () => last,
      wrote: (script) => {
        last = script
      },
      repaired: () => repairs++,
    })()
  const path = join(check('/f'), 'fleet')
  check('/f')
  check('/g')
  expect([repairs, readFileSync(path, 'utf8')]).toEqual([0, `#!/bin/sh\nexec '/n' '/g' "$@"\n`])
  const damages = [
    () => writeFileSync(path, 'evil'),
    () => writeFileSync(join(home.path, 'bin', 'git'), 'evil', { mode: 0o700 }),
    () => chmodSync(join(home.path, 'bin'), 0o777),
    () => {
      rmSync(path)
      mkdirSync(path)
    },
    () => {
      rmSync(join(home.path, 'bin'), { recursive: true })
      symlinkSync('/usr/bin', join(home.path, 'bin'))
    },
  ]
  for (const [i, damage] of damages.entries()) {
    damage()
    expect(join(check('/g'), 'fleet')).toBe(path)
    expect([repairs, readFileSync(path, 'utf8')]).toEqual([i + 1, `#!/bin/sh\nexec '/n' '/g' "$@"\n`])
    expect(readdirSync(join(home.path, 'bin'))).toEqual(['fleet'])
  }
})

test('on a file system that shows another owner it stays where it is, and a change is found by its text', () => {
  // Every new file seems to belong to somebody else.
  const getuid = vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(4242)
  const home = new Home(temporaryFolder())
  let last: string | undefined
  let repairs = 0
  const check = checkedCommand(home, {
    program: { node: '/n', fleet: '/f' },
    lastWritten: () => last,
    wrote: (script) => {
      last = script
    },
    repaired: () => repairs++,
  })
  try {
    const path = join(check(), 'fleet')
    const { ino } = statSync(path)
    check()
    expect([statSync(path).ino, readdirSync(home.path), repairs]).toEqual([ino, ['bin'], 0])
    writeFileSync(path, 'evil')
    check()
    expect([readFileSync(path, 'utf8'), repairs]).toEqual([`#!/bin/sh\nexec '/n' '/f' "$@"\n`, 1])
  } finally {
    getuid.mockRestore()
  }
})
