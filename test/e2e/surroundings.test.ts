import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FLEET, run, temporaryFolder, testHome } from '../support/cli.ts'

describe("the user's directory", () => {
  test('may be gone: reads work, and create is refused and creates nothing', () => {
    const home = testHome()
    const script = `mkdir gone && cd gone && rmdir ../gone && '${process.execPath}' '${FLEET}' bd "$@"`
    const fromGone = (...argv: string[]) =>
      run('sh', ['-c', script, 'sh', ...argv], { cwd: home.project, env: { FLEET_HOME: home.path } })
    expect(fromGone('list')).toMatchObject({ code: 0, stdout: 'No issues found.\n' })
    for (const command of ['create', 'q']) {
      expect(fromGone(command, 'lost')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('does not exist'),
      })
    }
    expect(JSON.parse(home.bd(['count', '--json']).stdout).count).toBe(0)
  })

  test('is replaced by -C, for the task and for relative file names', () => {
    const home = testHome()
    const other = join(home.project, 'other')
    mkdirSync(other)
    expect(home.bd(['-C', 'other', 'create', 'elsewhere']).stdout).toContain(`[cwd: ${other}]`)
    home.bd(['-C', 'other', 'export', '-o', 'tasks.jsonl'])
    expect(home.bd(['-C', 'other', 'import', 'tasks.jsonl']).code).toBe(0)
    expect(home.bd(['import', 'other/tasks.jsonl']).code).toBe(0)
    expect(home.bd(['-C', 'nowhere', 'list'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error: cannot change to directory nowhere: it does not exist\n',
    })
  })

  test('version and help need no home', () => {
    const env = { FLEET_HOME: join(temporaryFolder(), 'none') }
    for (const argv of [['--version'], ['--help'], ['bd', 'version'], ['bd', '--help'], ['bd', 'create', '--help']]) {
      expect(run(process.execPath, [FLEET, ...argv], { env })).toMatchObject({ code: 0, stderr: '' })
    }
  })
})

test('a reader that closes the pipe ends the command quietly', () => {
  const home = testHome()
  for (let i = 0; i < 3; i++) home.bd(['create', `task ${i}`, '-d', 'x'.repeat(100_000)])
  const list = `'${process.execPath}' '${FLEET}' bd list --json | head -c 10`
  expect(run('bash', ['-o', 'pipefail', '-c', list], { env: { FLEET_HOME: home.path } })).toEqual({
    code: 0,
    stdout: '[\n  {\n    ',
    stderr: '',
  })
})
