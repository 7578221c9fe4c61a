import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { check, type Raw } from '../../src/config/check.ts'
import { effectiveSettings } from '../../src/config/effective.ts'
import { keyText, parseKey } from '../../src/config/key.ts'
import { loadConfig } from '../../src/config/load.ts'
import { policyOf } from '../../src/config/policy.ts'
import type { Config } from '../../src/config/schema.ts'
import { template } from '../../src/config/template.ts'
import { temporaryFolder } from '../support/cli.ts'

function configOf(raw: Raw): Config {
  const checked = check(raw)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  return checked.config
}

async function messageFor(text: string): Promise<string> {
  const path = join(temporaryFolder(), 'runtime.toml')
  writeFileSync(path, text)
  return await loadConfig(path).then(
    () => 'no error',
    (error: Error & { code?: string }) => `${error.code}: ${error.message.replaceAll(path, '<path>')}`,
  )
}

describe('defaults', () => {
  test('without a file the configuration is the default', async () => {
    const { config, text } = await loadConfig(join(temporaryFolder(), 'runtime.toml'))
    expect(text).toBeUndefined()
    expect(config).toMatchObject({
      max_concurrent: 3,
      coder: 'claude',
      model: 'sonnet',
      context_pressure_threshold_pct: 90,
      queue: 'local',
      max_attempts: 3,
      close_at: 'evidenced',
      permissions: 'full',
      env_pass: [],
      lean: false,
      timeouts: {
        first_event: 90_000,
        idle: 600_000,
        after_result: 30_000,
        grace: 10_000,
        wall: 3_600_000,
        lease: 120_000,
      },
      projects: {},
      coders: {},
    })
  })

  test('the file that init writes means the same', async () => {
    const path = join(temporaryFolder(), 'runtime.toml')
    writeFileSync(path, template())
    const { config, given } = await loadConfig(path)
    expect(given).toEqual({ queue: 'local', timeouts: {}, limits: {}, retention: {}, hosts: {} })
    expect(config).toEqual(configOf({}))
  })

  test('every default that init writes as a comment is the default in force', async () => {
    const path = join(temporaryFolder(), 'runtime.toml')
    const uncommented = template()
      .replace(/^#.*not set by default.*\n# .*\n/gm, '')
      .replace(/^# (\w+ = )/gm, '$1')
    writeFileSync(path, uncommented)
    expect((await loadConfig(path)).config).toEqual(configOf({}))
  })

  test('a coder without a model gets its own default, never that of another coder', () => {
    expect(configOf({ coder: 'codex' }).model).toBeUndefined()
    expect(configOf({ coder: 'claude' }).model).toBe('sonnet')
    expect(configOf({ coder: 'codex', model: 'gpt-9' }).model).toBe('gpt-9')
    expect(configOf({ coder: 'mine', coders: { mine: { command: ['mine'], model: 'big' } } }).model).toBe('big')
  })

  test('a wall-clock timeout of "none" means no limit', () => {
    expect(configOf({ timeouts: { wall: 'none' } }).timeouts.wall).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('a mistake is reported with its key, its value, what is accepted and how to fix it', () => {
  test.each([
    [
      'timeouts.idle = "5 min"',
      'config: runtime.toml: line 1: timeouts.idle is "5 min", expected a duration such as "5m" (fleet config set timeouts.idle=5m)',
    ],
    [
      'timeouts.idle = "1ms"',
      'config: runtime.toml: line 1: timeouts.idle is "1ms", expected a duration such as "5m", from 100ms to 30d (fleet config set timeouts.idle=5m)',
    ],
    [
      'timeouts.idle = "none"',
      'config: runtime.toml: line 1: timeouts.idle is "none", expected a duration such as "5m" (fleet config set timeouts.idle=5m)',
    ],
    [
      'max_concurrent = 0',
      'config: runtime.toml: line 1: max_concurrent is 0, expected a whole number from 1 to 1000 (fleet config set max_concurrent=5)',
    ],
    [
      'max_concurrent = "3"',
      'config: runtime.toml: line 1: max_concurrent is "3", expected a whole number from 1 to 1000 (fleet config set max_concurrent=5)',
    ],
    [
      'max_concurrent = 2.5',
      'config: runtime.toml: line 1: max_concurrent is 2.5, expected a whole number from 1 to 1000 (fleet config set max_concurrent=5)',
    ],
    [
      'max_concurent = 3',
      'config: runtime.toml: line 1: max_concurent is not a setting fleet knows, did you mean max_concurrent? (edit <path>)',
    ],
    [
      'idle = "5m"',
      'config: runtime.toml: line 1: idle is not a setting fleet knows, did you mean timeouts.idle? (edit <path>)',
    ],
    [
      '[timeout]\nidle = "5m"',
      'config: runtime.toml: line 1: timeout is not a table fleet knows, did you mean timeouts? (edit <path>)',
    ],
    ['timeouts = 5', 'config: runtime.toml: line 1: timeouts is 5, expected a table [timeouts] (edit <path>)'],
    [
      'lean = "yes"',
      'config: runtime.toml: line 1: lean is "yes", expected true or false (fleet config set lean=true)',
    ],
    [
      'permissions = "all"',
      'config: runtime.toml: line 1: permissions is "all", expected one of full, workspace, settings (fleet config set permissions=full)',
    ],
    [
      'env_pass = "A"',
      'config: runtime.toml: line 1: env_pass is "A", expected a list of variable names, with * at the end for a prefix, such as ["GH_TOKEN", "AWS_*"] (fleet config set \'env_pass=["GH_TOKEN"]\')',
    ],
    [
      'env_pass = ["A B"]',
      'config: runtime.toml: line 1: env_pass is ["A B"], expected a list of variable names, with * at the end for a prefix, such as ["GH_TOKEN", "AWS_*"] (fleet config set \'env_pass=["GH_TOKEN"]\')',
    ],
    [
      'coder = "clade"',
      'config: runtime.toml: line 1: coder is "clade", expected one of claude, codex, agy, opencode, gemini, shell (fleet config set coder=claude)',
    ],
    [
      '[projects."/a"]\nreview_by = "codx"',
      'config: runtime.toml: line 2: projects."/a".review_by is "codx", expected one of claude, codex, agy, opencode, gemini, shell (fleet config set projects."/a".review_by=codex)',
    ],
    [
      '[projects."a/b"]\ncoder = "codex"',
      'config: runtime.toml: line 1: projects."a/b" is not an absolute path, expected one such as "/home/me/project" or "~/project" (edit <path>)',
    ],
    [
      '[projects."/a"]\ncodr = "x"',
      'config: runtime.toml: line 2: projects."/a".codr is not a setting fleet knows, did you mean projects."/a".coder? (edit <path>)',
    ],
    [
      '[coders.mine]\nmodel = "x"',
      'config: runtime.toml: line 1: coders.mine has no command, expected the program and its arguments (fleet config set \'coders.mine.command=["mine", "{prompt_file}"]\')',
    ],
    [
      '[projects."/a"]\nmax_concurrent = 1\n[projects."/a/"]\nmax_concurrent = 2',
      'config: runtime.toml: line 3: projects."/a/" is the same directory as projects."/a", expected one table for both (edit <path>)',
    ],
    [
      'max_concurrent = 1979-05-27',
      'config: runtime.toml: line 1: max_concurrent is "1979-05-27", expected a whole number from 1 to 1000 (fleet config set max_concurrent=5)',
    ],
    [
      '# first\n\n[timeouts]\nwall = "1h"\nidle = 5\n',
      'config: runtime.toml: line 5: timeouts.idle is 5, expected a duration such as "5m", from 100ms to 30d (fleet config set timeouts.idle=5m)',
    ],
    [
      'coders.mine = { command = ["x"], env = 5 }',
      expect.stringMatching(/^config: runtime.toml: line 1: coders.mine.env is 5, expected /),
    ],
    [
      'coders.mine = { command = ["x"], env = { A = "\\u0000" } }',
      expect.stringMatching(/^config: runtime.toml: line 1: coders.mine.env is .+, expected variables/),
    ],
    ['a = 1\na = 2', expect.stringMatching(/^config: runtime.toml: line 2, column \d+: .+/)],
    ['max_concurrent = ', expect.stringMatching(/^config: runtime.toml: line 1, column \d+: .+/)],
  ])('%j', async (text, message) => {
    expect(await messageFor(text)).toEqual(message)
  })

  test('all mistakes are reported at once', async () => {
    expect((await messageFor('lean = 1\nmax_attempts = 0\nfoo = 1')).split('\n')).toHaveLength(3)
  })

  test('a message never shows a password', async () => {
    expect(await messageFor('queue = "postgres://me:s3cret@db host/x"')).not.toContain('s3cret')
  })

  test('names that every JavaScript object has are not settings', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty'])
      expect(await messageFor(`${name} = 1`)).toContain('is not a setting')
    expect(await messageFor('__proto__ = 1')).toContain('__proto__ is not a setting')
  })

  test('a file that is not text is refused', async () => {
    const path = join(temporaryFolder(), 'runtime.toml')
    writeFileSync(path, Buffer.from([0x63, 0xff, 0xfe]))
    await expect(loadConfig(path)).rejects.toThrow('is not UTF-8 text')
  })
})

describe('keys', () => {
  test.each([
    ['max_concurrent', ['max_concurrent']],
    ['timeouts.idle', ['timeouts', 'idle']],
    ['projects."/a/b".verify', ['projects', '/a/b', 'verify']],
    ["projects.'/a/b.c'.verify", ['projects', '/a/b.c', 'verify']],
    ['projects./a/b.c.verify', ['projects', '/a/b.c', 'verify']],
    ['projects.~/x y.verify', ['projects', '~/x y', 'verify']],
    ['projects."a\\"b".verify', ['projects', 'a"b', 'verify']],
    ['', undefined],
    ['a.', undefined],
    ['.a', undefined],
    ['a b', undefined],
    ['a."b', undefined],
  ])('%j', (text, key) => {
    expect(parseKey(text)).toEqual(key)
    if (key !== undefined) expect(parseKey(keyText(key))).toEqual(key)
  })
})

describe('config show', () => {
  test('each setting has its value and its source, secrets masked', () => {
    const given = {
      coder: 'codex',
      queue: 'postgres://me:s3cret@host/db',
      projects: { '/a': { coder: 'codex' } },
      coders: { codex: { env: { MY_TOKEN: 'abc', PLAIN: '1' } } },
    }
    const rows = effectiveSettings({ config: configOf(given), given })
    expect(rows).toContainEqual({ key: 'coder', value: 'codex', source: 'given' })
    expect(rows).toContainEqual({ key: 'model', value: undefined, source: 'default' })
    expect(rows).toContainEqual({ key: 'queue', value: 'postgres://me:***@host/db', source: 'given' })
    expect(rows).toContainEqual({ key: 'timeouts.idle', value: '10m', source: 'default' })
    expect(rows).toContainEqual({ key: 'projects."/a".coder', value: 'codex', source: 'given' })
    expect(rows).toContainEqual({ key: 'coders.codex.env', value: { MY_TOKEN: '***', PLAIN: '1' }, source: 'given' })
    expect(rows.some((row) => row.key.startsWith('projects') && row.source === 'default')).toBe(false)
  })
})

test.each<[unknown, unknown]>([
  ['npm test', [{ name: 'verify', command: 'npm test' }]],
  [
    ['npm run lint', 'npm test'],
    [
      { name: 'verify 1', command: 'npm run lint' },
      { name: 'verify 2', command: 'npm test' },
    ],
  ],
  [{ lint: 'npm run lint' }, [{ name: 'lint', command: 'npm run lint' }]],
  [[], []],
])('verify may be one command, a list or a table of named ones: %j', async (verify, commands) => {
  const checked = check({ projects: { '/a': { verify } } })
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  expect(policyOf(checked.config).verify('/a')).toEqual({ path: '/a', commands })
})

test.each([7, '', 'one\ntwo', ['npm test', ''], { 'a name': 'true' }, { lint: 1 }])('verify cannot be %j', (verify) => {
  expect(check({ projects: { '/a': { verify } } })).toMatchObject({ problems: [{ key: ['projects', '/a', 'verify'] }] })
})
