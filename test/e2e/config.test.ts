import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { template } from '../../src/config/template.ts'
import { FLEET, run, type TestHome, temporaryFolder, testHome } from '../support/cli.ts'

const fileOf = (home: TestHome) => join(home.path, 'runtime.toml')
const textOf = (home: TestHome) => readFileSync(fileOf(home), 'utf8')

function configured(text: string): TestHome {
  const home = testHome()
  writeFileSync(fileOf(home), text, { mode: 0o600 })
  return home
}

describe('fleet config set', () => {
  test('changes the given setting and keeps every comment and blank line', () => {
    const home = configured('# my fleet\nmax_concurrent = 3   # small machine\n\n[timeouts]\n# patience\nidle = "5m"\n')
    const { code, stdout, stderr } = home.fleet([
      'config',
      'set',
      'max_concurrent=5',
      'timeouts.idle=7m',
      'lean=true',
      `projects."/a b/c.d".model=big one`,
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      'max_concurrent = 5  (was 3)\ntimeouts.idle = "7m"  (was "5m")\nlean = true  (was the default)\nprojects."/a b/c.d".model = "big one"  (was the default)\n',
    )
    expect(textOf(home)).toBe(
      '# my fleet\nmax_concurrent = 5   # small machine\nlean = true\n\n[timeouts]\n# patience\nidle = "7m"\n\n[projects."/a b/c.d"]\nmodel = "big one"\n',
    )
  })

  test('accepts a path without quotes, as a shell passes it', () => {
    const home = configured('')
    expect(home.fleet(['config', 'set', 'projects./srv/my.app.model=big one']).code).toBe(0)
    expect(parse(textOf(home))).toEqual({ projects: { '/srv/my.app': { model: 'big one' } } })
  })

  test('accepts bare words, numbers, switches, TOML lists and single variables', () => {
    const home = configured('')
    const values = [
      'model="opus 5"',
      'max_attempts=1_0',
      'lean=true',
      'env_pass=["GH_TOKEN", "AWS_*"]',
      'coders.x.command=["a", "b c"]',
      'coders.x.env.PATH_EXTRA=/x=y',
      'timeouts.wall=none',
      'coder=x',
      'close_at=verified',
    ]
    expect(home.fleet(['config', 'set', ...values])).toMatchObject({ code: 0, stderr: '' })
    expect(parse(textOf(home))).toEqual({
      model: 'opus 5',
      max_attempts: 10,
      lean: true,
      env_pass: ['GH_TOKEN', 'AWS_*'],
      coders: { x: { command: ['a', 'b c'], env: { PATH_EXTRA: '/x=y' } } },
      timeouts: { wall: 'none' },
      coder: 'x',
      close_at: 'verified',
    })
    expect(home.fleet(['config', 'show']).code).toBe(0)
  })

  test('creates a missing file as init would', () => {
    const home = testHome()
    rmSync(fileOf(home))
    expect(home.fleet(['config', 'set', 'max_concurrent=4']).code).toBe(0)
    expect(textOf(home)).toBe(template().replace('# max_concurrent = 3', 'max_concurrent = 4'))
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600)
  })

  test('removes a setting that is given an empty value', () => {
    const home = configured('# why\nmax_concurrent = 9 # nine\n')
    expect(home.fleet(['config', 'set', 'max_concurrent='])).toMatchObject({
      code: 0,
      stdout: 'max_concurrent is the default again  (was 9)\n',
    })
    expect(textOf(home)).toBe('# why\n# max_concurrent = 9 # nine\n')
    expect(home.fleet(['config', 'set', 'max_concurrent='])).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' })
  })

  test('never prints a secret', () => {
    const home = configured('')
    const { stdout } = home.fleet([
      'config',
      'set',
      'coders.claude.env.MY_TOKEN=s3cret',
      'coders.claude.env.PLAIN=open',
    ])
    expect(stdout).toBe(
      'coders.claude.env.MY_TOKEN = "***"  (was the default)\ncoders.claude.env.PLAIN = "open"  (was the default)\n',
    )
    for (const argv of [['show'], ['show', '--json'], ['show', '--raw'], ['show', '--raw', '--json']]) {
      expect(home.fleet(['config', ...argv]).stdout).not.toContain('s3cret')
    }
    expect(home.fleet(['config', 'set', 'queue=postgres://me:s3cret@host/db']).stderr).not.toContain('s3cret')
    expect(home.fleet(['config', 'set', 'queue=postgres://me:s3cret@ho st/db']).stderr).not.toContain('s3cret')
  })

  test('keeps a link, and changes the file it points to', () => {
    const home = testHome()
    const target = join(temporaryFolder(), 'dotfile.toml')
    writeFileSync(target, 'max_concurrent = 1 # dot\n')
    rmSync(fileOf(home))
    symlinkSync(target, fileOf(home))
    expect(home.fleet(['config', 'set', 'max_concurrent=2']).code).toBe(0)
    expect(lstatSync(fileOf(home)).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, 'utf8')).toBe('max_concurrent = 2 # dot\n')
  })

  test('makes a file private that others could read', () => {
    const home = configured('max_concurrent = 1\n')
    chmodSync(fileOf(home), 0o644)
    expect(home.fleet(['config', 'set', 'max_concurrent=2']).code).toBe(0)
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600)
  })

  test('can fix a mistake in the file', () => {
    const home = configured('max_concurrent = "many" # wrong\n')
    expect(home.fleet(['config', 'show']).code).toBe(3)
    expect(home.fleet(['config', 'set', 'max_concurrent=5']).code).toBe(0)
    expect(textOf(home)).toBe('max_concurrent = 5 # wrong\n')
  })

  test('twelve at once lose no change and never leave half a file', { timeout: 120_000 }, async () => {
    const home = testHome()
    const settings = [
      'max_concurrent=7',
      'max_attempts=7',
      'lean=true',
      'close_at=verified',
      'permissions=workspace',
      'pid_namespace=off',
      'timeouts.idle=7m',
      'timeouts.grace=7s',
      'timeouts.wall=7h',
      'context_pressure_threshold_pct=70',
      'projects./a.model=x',
      'projects./b.model=y',
    ]
    const env = { ...process.env, FLEET_HOME: home.path }
    const exits = await Promise.all(
      settings.map(async (setting) => {
        const child = spawn(process.execPath, [FLEET, 'config', 'set', setting], { env, stdio: 'ignore' })
        const [code] = await once(child, 'exit')
        return code
      }),
    )
    expect(exits).toEqual(settings.map(() => 0))
    expect(parse(textOf(home))).toEqual({
      queue: 'local',
      max_concurrent: 7,
      max_attempts: 7,
      lean: true,
      close_at: 'verified',
      permissions: 'workspace',
      pid_namespace: 'off',
      context_pressure_threshold_pct: 70,
      timeouts: { idle: '7m', grace: '7s', wall: '7h' },
      limits: {},
      retention: {},
      hosts: {},
      projects: { '/a': { model: 'x' }, '/b': { model: 'y' } },
    })
    expect(readdirSync(home.path).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})

describe('setting a coder without a model', () => {
  test("sets that coder's default model", () => {
    const home = configured('coder = "codex"\nmodel = "gpt-9"\n')
    expect(home.fleet(['config', 'set', 'coder=claude']).stdout).toBe(
      'coder = "claude"  (was "codex")\nmodel = "sonnet"  (was "gpt-9")\nmodel: sonnet, the default of claude\n',
    )
    expect(parse(textOf(home))).toEqual({ coder: 'claude', model: 'sonnet' })
  })

  test('removes the model if fleet has no default for the coder', () => {
    const home = configured('coder = "claude"\nmodel = "opus" # good\n')
    expect(home.fleet(['config', 'set', 'coder=codex']).stdout).toBe(
      'coder = "codex"  (was "claude")\nmodel is the default again  (was "opus")\nmodel: fleet has no default for codex, its CLI chooses\n',
    )
    expect(textOf(home)).toBe('coder = "codex"\n# model = "opus" # good\n')
  })

  test('keeps a model that is given in the same command', () => {
    const home = configured('coder = "claude"\n')
    expect(home.fleet(['config', 'set', 'coder=codex', 'model=gpt-9']).stdout).not.toContain('default of')
    expect(parse(textOf(home))).toEqual({ coder: 'codex', model: 'gpt-9' })
  })
})

describe('a refused change leaves the file byte for byte', () => {
  const text = '# mine\r\nmax_concurrent = 2 # keep\r\ncoder = "claude"'
  test.each([
    [
      ['max_concurent=3'],
      3,
      'fleet: max_concurent is not a setting fleet knows, did you mean max_concurrent?\n  nothing was changed; fleet config show lists the settings\n',
    ],
    [
      ['idle=3m'],
      3,
      'fleet: idle is not a setting fleet knows, did you mean timeouts.idle?\n  nothing was changed; fleet config show lists the settings\n',
    ],
    [
      ['timeouts=3m'],
      3,
      'fleet: timeouts is a table, not a setting\n  name a setting in it; fleet config show lists them\n',
    ],
    [
      ['max_concurrent.x=3'],
      3,
      'fleet: max_concurrent.x is not a setting fleet knows, did you mean max_concurrent?\n  nothing was changed; fleet config show lists the settings\n',
    ],
    [
      ['max_concurrent=many'],
      3,
      `fleet: max_concurrent cannot be "many", expected a whole number from 1 to 1000\n  nothing was changed; for example: fleet config set 'max_concurrent=5'\n`,
    ],
    [
      ['max_concurrent=0'],
      3,
      `fleet: max_concurrent cannot be 0, expected a whole number from 1 to 1000\n  nothing was changed; for example: fleet config set 'max_concurrent=5'\n`,
    ],
    [
      ['timeouts.idle=5 min'],
      3,
      `fleet: timeouts.idle cannot be "5 min", expected a duration such as "5m"\n  nothing was changed; for example: fleet config set 'timeouts.idle=5m'\n`,
    ],
    [['env_pass=A'], 3, expect.stringContaining('fleet: env_pass cannot be "A", expected a list of variable names')],
    [
      ['coder=clade'],
      3,
      'fleet: runtime.toml: coder is "clade", expected one of claude, codex, agy, opencode, gemini, shell (fleet config set coder=claude)\n',
    ],
    [
      ['projects.here.model=x'],
      3,
      expect.stringContaining('fleet: runtime.toml: projects.here is not an absolute path'),
    ],
    [
      ['queue=beads'],
      8,
      'fleet: the tasks of this home are in its local queue\n  nothing was changed; fleet queue migrate --to ... moves them to another\n',
    ],
    [
      ['max_concurrent'],
      2,
      'fleet: "max_concurrent" is not key=value\n  for example: fleet config set max_concurrent=5\n',
    ],
    [['=3'], 2, 'fleet: "=3" is not key=value\n  for example: fleet config set max_concurrent=5\n'],
    [[], 2, 'fleet: fleet config set needs key=value\n  for example: fleet config set max_concurrent=5\n'],
    [
      ['max_concurrent=5', 'lean=perhaps'],
      3,
      `fleet: lean cannot be "perhaps", expected true or false\n  nothing was changed; for example: fleet config set 'lean=true'\n`,
    ],
  ])('%j', (argv, code, stderr) => {
    const home = configured(text)
    expect(home.fleet(['config', 'set', ...argv])).toEqual({ code, stdout: '', stderr })
    expect(textOf(home)).toBe(text)
  })

  test('a file with a syntax error', () => {
    const home = configured('max_concurrent = = 3\n')
    expect(home.fleet(['config', 'set', 'lean=true'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^fleet: runtime.toml: line 1, column \d+: .*\n {2}1 \| max_concurrent = = 3\n {2}fix it in .*runtime.toml \(fleet config show --raw prints it\)\n$/,
      ),
    })
    expect(textOf(home)).toBe('max_concurrent = = 3\n')
  })
})

describe('fleet config show', () => {
  test('prints every setting with its source', () => {
    const lines = configured('max_concurrent = 9\n').fleet(['config', 'show']).stdout.split('\n')
    expect(lines).toContain('max_concurrent                 = 9  (given)')
    expect(lines).toContain('model                          = "sonnet"  (default)')
    expect(lines).toContain('timeouts.idle                  = "10m"  (default)')
    expect(lines).toContain('hosts.name                     = none  (default)')
  })

  test('prints one JSON document with stable names', () => {
    const home = configured('queue = "local"\n')
    const answer = JSON.parse(home.fleet(['config', 'show', '--json']).stdout)
    expect(answer).toMatchObject({ schema_version: 1, path: fileOf(home) })
    expect(answer.settings[0]).toEqual({ key: 'max_concurrent', value: 3, source: 'default' })
    expect(answer.settings).toContainEqual({ key: 'queue', value: 'local', source: 'given' })
    expect(answer.settings).toContainEqual({ key: 'hosts.name', value: null, source: 'default' })
  })

  test('--raw prints the file itself, even with a mistake, without terminal escapes', () => {
    expect(configured('# a\nfoo = 1\n\n').fleet(['config', 'show', '--raw'])).toEqual({
      code: 0,
      stdout: '# a\nfoo = 1\n\n',
      stderr: '',
    })
    expect(configured('# \u001b[31mred\n').fleet(['config', 'show', '--raw']).stdout).toBe('# red\n')
  })

  test('reports a mistake with its line, its text and what to do', () => {
    const text = 'lean = true\nmodel = opus\nmax_concurrent = 5\n'
    const home = configured(text)
    expect(home.fleet(['config', 'show'])).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(
        `^fleet: runtime.toml: line 2, column \\d+: .*\n  2 \\| model = opus\n  fix it in ${fileOf(home)} \\(fleet config show --raw prints it\\)\n$`,
      ),
    })
    expect(home.fleet(['config', 'show', '--raw'])).toEqual({ code: 0, stdout: text, stderr: '' })
    expect(configured('lean = true\nmax_concurrent = 0\n').fleet(['config', 'show'])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'fleet: runtime.toml: line 2: max_concurrent is 0, expected a whole number from 1 to 1000 (fleet config set max_concurrent=5)\n',
    })
  })

  test('never shows the login of a coder', () => {
    const home = configured(
      `[coders.mine]\ncommand = ["mine", "--api-key", "hush-1", "--token=hush-2"]\n[coders.mine.env]\nMINE_TOKEN = "hush-3"\nURL = "https://me:hush-4@host/"\n`,
    )
    const said = [
      ['show'],
      ['show', '--raw'],
      ['show', '--json'],
      ['set', 'coders.mine.command=["x", "--token", "hush-5"]'],
    ]
      .map((argv) => home.fleet(['config', ...argv]))
      .map(({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`)
    expect(said.map((text) => text.match(/hush-\d|^[^0]/g))).toEqual([null, null, null, null])
    expect(said[0]).toContain('coders.mine.command            = ["mine", "--api-key", "***", "--token=***"]  (given)')
  })

  test('without a home says how to create one', () => {
    const home = join(temporaryFolder(), 'none')
    const ran = run(process.execPath, [FLEET, 'config', 'show'], { env: { FLEET_HOME: home } })
    expect(ran).toEqual({
      code: 3,
      stdout: '',
      stderr: `fleet: no fleet home at ${home}\n  run fleet init (or point FLEET_HOME at your home)\n`,
    })
  })

  test('refuses other arguments', () => {
    const home = testHome()
    expect(home.fleet(['config'])).toMatchObject({
      code: 2,
      stderr: 'fleet: fleet config needs show, get, set, accept or revert\n  fleet config --help explains them\n',
    })
    expect(home.fleet(['config', 'put', 'x'])).toMatchObject({
      code: 2,
      stderr: 'fleet: unknown command "config put"\n  fleet config --help explains them\n',
    })
    expect(home.fleet(['config', 'show', 'x']).code).toBe(2)
    expect(home.fleet(['config', '--help']).stdout).toContain('change settings; all of them or none')
  })
})

test('a verify command is a line of shell, a list or a table, as it is typed', () => {
  const home = testHome()
  const key = 'projects."/a".verify'
  const shown = (value: string): string => {
    expect(home.fleet(['config', 'set', `${key}=${value}`])).toMatchObject({ code: 0, stderr: '' })
    return home.fleet(['config', 'get', key]).stdout
  }
  expect(shown('true')).toBe('true\n')
  expect(shown('[ -e a.txt ] && npm test')).toBe('[ -e a.txt ] && npm test\n')
  expect(shown('["npm run lint", "npm test"]')).toBe('["npm run lint", "npm test"]\n')
  expect(shown('{ lint = "npm run lint" }')).toContain('npm run lint')
})
