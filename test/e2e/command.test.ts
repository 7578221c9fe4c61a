import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type TestHome, testHome } from '../support/cli.ts'
import { fleetHome } from '../support/home-run.ts'
import { created } from '../support/tasks.ts'

const FOR_SHELL = '--command is a script for the shell coder, and this task goes to claude'
const HINT = 'use --coder shell, or say in the description what claude is to do'

const shown = (home: TestHome, id: string) => home.fleet(['show', id]).stdout

test('the command runs; the description is for people', async () => {
  const fleet = await fleetHome()
  const id = created(
    fleet,
    'Test it',
    '--coder',
    'shell',
    '-d',
    'Runs the\ntests',
    '--command',
    'echo ran > it\ntest -s it',
  )
  await (await fleet.supervise({ argv: ['--once'] })).exited
  expect(await fleet.status(id)).toBe('closed')
  expect(fleet.lines('it')).toEqual(['ran'])
  expect(shown(fleet, id)).toContain(`coder:        shell
model:        the coder's own (default)
command:      echo ran > it
              test -s it
closed: `)
})

describe('a command', () => {
  test('is stored with the task, shown, exported and written to task.json', () => {
    const home = testHome()
    const id = created(home, 'Test it', '--coder', 'shell', '--command', 'npm test')
    expect(JSON.parse(home.fleet(['show', id, '--json']).stdout).fleet).toMatchObject({ command: 'npm test' })
    expect(JSON.parse(readFileSync(join(home.path, 'tasks', id, 'task.json'), 'utf8'))).toMatchObject({
      coder: 'shell',
      command: 'npm test',
    })
    expect(home.bd(['export']).stdout).toContain('"command":"npm test"')
  })

  test('needs the shell coder, given or by default; otherwise nothing is created', () => {
    const home = testHome()
    for (const coder of [[], ['--coder', 'claude']]) {
      expect(home.bd(['create', 'Test it', ...coder, '--command', 'npm test'])).toEqual({
        code: 1,
        stdout: '',
        stderr: `Error: ${FOR_SHELL}\nHint: ${HINT}\n`,
      })
    }
    expect(home.bd(['q', 'Test it', '--command', 'npm test']).code).toBe(1)
    expect(home.bd(['list', '--all', '--json']).stdout).toBe('[]\n')
    expect(existsSync(join(home.path, 'tasks', 'fleet-x'))).toBe(false)
    expect(home.fleet(['config', 'set', 'coder=shell']).code).toBe(0)
    expect(home.bd(['create', 'Test it', '--command', 'npm test']).code).toBe(0)
  })

  test('can be changed and removed by update, under the same rule', () => {
    const home = testHome()
    const [shell, claude] = [created(home, 'Shell', '--coder', 'shell', '-d', 'true'), created(home, 'Claude')]
    expect(home.bd(['update', shell, claude, '--command', 'npm test'])).toEqual({
      code: 1,
      stdout: `✓ Updated issue: ${shell} — Shell\n`,
      stderr: `Error updating ${claude}: ${FOR_SHELL} (${HINT})
Error: 1 of 2 issues failed to update
  ${claude}: updating issue: ${FOR_SHELL} (${HINT})
`,
    })
    expect(shown(home, shell)).toContain('\ncommand:      npm test\n')
    expect(home.bd(['update', shell, '--coder', 'claude']).code).toBe(1)
    expect(home.bd(['update', claude, '--coder', 'shell', '--command', 'make']).code).toBe(0)
    expect(home.bd(['update', shell, '--coder', 'claude', '--command', '']).code).toBe(0)
    expect(shown(home, shell)).not.toContain('command:')
    expect(shown(home, shell)).toContain('coder:        claude\n')
  })

  test('is read from task.json, under the same rule', () => {
    const home = testHome()
    const id = created(home, 'Shell', '--coder', 'shell')
    const file = join(home.path, 'tasks', id, 'task.json')
    const edit = (change: object) =>
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }))
    edit({ command: 'make' })
    expect(home.bd(['update', id, '--title', 'Make']).code).toBe(0)
    expect(shown(home, id)).toContain('\ncommand:      make\n')
    edit({ coder: 'claude' })
    const refused = home.bd(['update', id, '--title', 'Other'])
    expect({ code: refused.code, title: /^title: +(.*)$/m.exec(shown(home, id))?.[1] }).toEqual({
      code: 1,
      title: 'Make',
    })
    expect(refused.stderr).toContain(`${file}: command is a script for the shell coder, and this task goes to claude`)
  })

  test('cannot be set by agents', () => {
    const home = testHome()
    expect(home.fleet(['config', 'set', 'coder=shell']).code).toBe(0)
    const id = created(home, 'Its own')
    const env = { FLEET_RUN_ID: 'run-1', FLEET_TASK_ID: id, FLEET_TASK_DIR: join(home.path, 'tasks', id) }
    const refused = home.bd(['create', 'More', '--command', 'npm test'], { env })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--command is not for agents') })
  })

  test('may have several lines, but no NUL', () => {
    const home = testHome()
    const metadata = JSON.stringify({ fleet: { coder: 'shell', command: 'a\u0000b' } })
    const { code, stderr } = home.bd(['create', 'Test it', '--metadata', metadata])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Error: command "a\\u0000b" has a NUL in it\nHint: give a script without it\n',
    })
  })
})
