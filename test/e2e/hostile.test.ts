import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FLEET, run, testHome } from '../support/cli.ts'

const READERS = ['list', 'ready', 'search t', 'export', 'show fleet-b', 'count', 'stats', 'blocked'].map((line) =>
  line.split(' '),
)

describe('a store damaged somewhere inside', () => {
  test('every reading command either answers or says that it is damaged, and never shows a stack trace', () => {
    const home = testHome()
    for (const id of ['a', 'b', 'c'])
      home.bd(['create', `task ${id} ${'long '.repeat(80)}`, '--id', `fleet-${id}`, '-d', 'x'.repeat(9000)])
    const path = join(home.path, 'fleet.db')
    const checkpointed = run(process.execPath, ['-e', CHECKPOINT, path], { cwd: join(import.meta.dirname, '../..') })
    expect(checkpointed.code).toBe(0)
    const whole = readFileSync(path)
    let damaged = 0
    for (let page = 1; page < whole.length / 4096; page += 4) {
      const bytes = Buffer.from(whole)
      bytes.fill(0x5a, page * 4096, Math.min(whole.length, (page + 2) * 4096))
      writeFileSync(path, bytes)
      for (const argv of READERS) {
        const ran = home.bd(argv)
        expect(ran.stderr).not.toMatch(/unexpected error|\n {4}at /)
        if (ran.stderr.includes('is damaged')) damaged++
      }
      expect(home.fleet(['ready']).stderr).not.toMatch(/unexpected error/)
    }
    expect(damaged).toBeGreaterThan(0)
  })
})

const CHECKPOINT = `const { DatabaseSync } = require('@photostructure/sqlite')
const db = new DatabaseSync(process.argv[1]); db.exec('pragma wal_checkpoint(truncate)'); db.exec('pragma journal_mode = delete')`

describe('a reader that closes the pipe', () => {
  test('does not stop a change halfway, and does not turn a failure into a success', () => {
    const home = testHome()
    const ids = ['a', 'b', 'c', 'd', 'e'].map((name) => `fleet-${name}`)
    for (const id of ids) home.bd(['create', id, '--id', id])
    const sh = (line: string) =>
      run('bash', ['-c', line.replaceAll('FLEET', `'${process.execPath}' '${FLEET}'`)], {
        env: { FLEET_HOME: home.path },
      })
    sh(`FLEET bd close ${ids.join(' ')} | true`)
    expect(JSON.parse(home.bd(['count', '--status', 'closed', '--json']).stdout).count).toBe(5)
    expect(sh('FLEET ready --bogus 2> >(true); exit $?').code).toBe(2)
    expect(sh('FLEET bd show nope 2> >(true); exit $?').code).toBe(1)
  })

  test('a full device is an error without a stack trace', () => {
    const home = testHome()
    const line = `'${process.execPath}' '${FLEET}' ready > /dev/full`
    expect(run('sh', ['-c', line], { env: { FLEET_HOME: home.path } })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'fleet: the output could not be written: ENOSPC\n',
    })
  })
})

describe("a huge number or one of JavaScript's own property names", () => {
  test.each([
    [['ready', '--limit', '99999999999999999999999'], 'too large'],
    [['bd', 'list', '--limit', '9'.repeat(400)], 'value out of range'],
    [['bd', 'create', 'x', '--estimate', '99999999999999999999'], 'value out of range'],
    [['bd', 'ready', '--sort', 'constructor'], 'invalid sort policy'],
    [['bd', 'create', 'x', '-t', 'constructor'], 'constructor'],
    [['bd', 'list', '--type', '__proto__'], 'invalid issue type'],
    [['config', 'set', 'constructor=1'], 'is not a setting fleet knows'],
    [['config', 'set', 'projects.__proto__.model=x'], 'is not key=value'],
  ])('is refused like any other wrong value: %j', (argv, message) => {
    const home = testHome()
    const config = readFileSync(join(home.path, 'runtime.toml'), 'utf8')
    const ran = home.fleet(argv)
    expect(ran.code).not.toBe(0)
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).not.toMatch(/native code|unexpected error|undefined/)
    expect(home.bd(['list']).stdout).toBe('No issues found.\n')
    expect(readFileSync(join(home.path, 'runtime.toml'), 'utf8')).toBe(config)
  })
})

test('an unterminated escape sequence hides nothing that follows it', () => {
  const home = testHome()
  for (const [name, opening] of Object.entries({ osc: '\u001b]0;', dcs: '\u001bP', c1: '\u009d' })) {
    home.bd([
      'create',
      `${name} title${opening}tail`,
      '-d',
      `Visible ${opening}x\nIMPORTANT: second line`,
      '--id',
      `fleet-${name}`,
    ])
    for (const ran of [home.bd(['show', `fleet-${name}`]), home.fleet(['show', `fleet-${name}`])]) {
      expect(ran.stdout).toContain('IMPORTANT: second line')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test asserts that none is left
      expect(ran.stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    }
  }
})
