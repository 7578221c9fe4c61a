import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stubAs } from '../stub-agent/stub-as.ts'
import { hasNamespace } from '../support/agents.ts'
import { type TestHome, temporaryFolder, testHome } from '../support/cli.ts'
import { doctor, type Examined } from '../support/doctor.ts'
import { inLedger } from '../support/ledger.ts'
import { created } from '../support/tasks.ts'

function checksOf(home: TestHome, env: NodeJS.ProcessEnv = {}, uid?: number): Examined['checks'] {
  return doctor(home, { env, ...(uid === undefined ? {} : { uid }) }).checks
}

const isRoot = process.getuid?.() === 0

test.each([
  ['codex', '.codex/auth.json', 'CODEX_API_KEY'],
  ['gemini', '.gemini/oauth_creds.json', 'GEMINI_API_KEY'],
  ['opencode', '.local/share/opencode/auth.json', 'ANTHROPIC_API_KEY'],
])(
  'the login of %s is its file, or a variable that env_pass lets through, and is never read',
  (coder, file, variable) => {
    const home = testHome()
    const folder = temporaryFolder()
    const name = `${coder} login`
    const env = { HOME: folder, PATH: stubAs(coder).path, [variable]: 'very-secret' }
    const checked = () => checksOf(home, env)[name]
    expect(checked()).toMatchObject({
      state: 'info',
      found: expect.stringContaining(`withheld from agents: ${variable}`),
    })
    home.fleet(['config', 'set', `env_pass=["${variable}"]`])
    expect(checked()).toMatchObject({ state: 'ok', found: `the account of ${variable}, before any other` })
    home.fleet(['config', 'set', 'env_pass='])
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(join(folder, file), '{"secret":"very-secret"}', { mode: 0o000 })
    expect(checked()).toMatchObject({
      state: 'ok',
      found: expect.stringContaining(`the login in ${join(folder, file)}, which is not read`),
    })
  },
)

test('the login of agy may be in a keyring, which is no warning; doctor says that agy is untested', () => {
  const home = testHome()
  const folder = temporaryFolder()
  home.fleet(['config', 'set', 'coder=agy'])
  const checked = () =>
    checksOf(home, { HOME: folder, PATH: stubAs('agy').path, GEMINI_API_KEY: 'secret' })['agy login']
  const file = join(folder, '.gemini/antigravity-cli/antigravity-oauth-token')
  const todo = `log in with agy, or let a variable through: fleet config set 'env_pass=["GEMINI_API_KEY"]'`
  const untried = 'from what others wrote, untried'
  const withheld = `set here but withheld from agents: GEMINI_API_KEY; ${untried}`
  expect(checked()).toEqual({
    name: 'agy login',
    state: 'info',
    found: `in the keyring of your session, which fleet does not open, or none (there is no ${file}); ${withheld}`,
    todo,
  })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '{"secret":"very-secret"}', { mode: 0o000 })
  expect(checked()).toEqual({
    name: 'agy login',
    state: 'ok',
    found: `the login in ${file}, which is not read: agy alone knows whether it is still good; ${withheld}`,
  })
  home.fleet(['config', 'set', 'env_pass=["GEMINI_API_KEY"]'])
  expect(checked()).toEqual({
    name: 'agy login',
    state: 'ok',
    found: `the account of GEMINI_API_KEY, if its settings.json says "modelProvider": "gemini", otherwise its own login; ${untried}`,
  })
})

describe('the login of claude', () => {
  const name = 'claude login'

  /** A user with claude installed and their own home folder. */
  function someone() {
    const home = testHome()
    const folder = temporaryFolder()
    return { home, folder, env: { HOME: folder, PATH: stubAs('claude').path } }
  }

  function logIn(folder: string): string {
    mkdirSync(folder)
    const path = join(folder, '.credentials.json')
    writeFileSync(path, '{"secret":"sk-ant-very-secret"}', { mode: 0o000 })
    return path
  }

  test('is not checked if claude is not installed', () => {
    expect(checksOf(testHome(), { PATH: '/nowhere' })[name]).toBeUndefined()
  })

  test('is the file in its folder, whose content doctor never reads', () => {
    const { home, folder, env } = someone()
    const path = logIn(join(folder, '.claude'))
    expect(checksOf(home, env)[name]).toEqual({
      name,
      state: 'ok',
      found: `the login in ${path}, which is not read: claude alone knows whether it is still good`,
    })
  })

  test('is a warning if it is missing, naming the withheld variables and how to pass them', () => {
    const { home, folder, env } = someone()
    expect(checksOf(home, { ...env, ANTHROPIC_API_KEY: 'sk-ant-very-secret' })[name]).toEqual({
      name,
      state: 'warn',
      found: `none is found (there is no ${folder}/.claude/.credentials.json); set here but withheld from agents: ANTHROPIC_API_KEY`,
      todo: `log in with claude, or let a variable through: fleet config set 'env_pass=["ANTHROPIC_API_KEY"]'`,
    })
  })

  test('is no warning if no setting names claude', () => {
    const { home, env } = someone()
    home.fleet(['config', 'set', 'coder=shell'])
    expect(checksOf(home, env)[name]).toMatchObject({ state: 'info' })
  })

  test('is not what pays if a key is passed through', () => {
    const { home, folder, env } = someone()
    logIn(join(folder, '.claude'))
    home.fleet(['config', 'set', 'env_pass=["ANTHROPIC_API_KEY"]'])
    const all = { ...env, ANTHROPIC_API_KEY: 'sk-ant-very-secret', CLAUDE_CODE_OAUTH_TOKEN: 'very-secret' }
    expect(checksOf(home, all)[name]).toEqual({
      name,
      state: 'ok',
      found:
        'the account of ANTHROPIC_API_KEY, before any other; set here but withheld from agents: CLAUDE_CODE_OAUTH_TOKEN',
    })
  })

  test('another folder counts only if agents get the variable that names it', () => {
    const { home, folder, env } = someone()
    const path = logIn(join(folder, 'work'))
    const surrounded = { ...env, CLAUDE_CONFIG_DIR: join(folder, 'work') }
    expect(checksOf(home, surrounded)[name]).toMatchObject({
      state: 'warn',
      found: expect.stringMatching(/withheld from agents: CLAUDE_CONFIG_DIR$/),
    })
    home.fleet(['config', 'set', `coders.claude.env={CLAUDE_CONFIG_DIR="${join(folder, 'work')}"}`])
    expect(checksOf(home, env)[name]).toMatchObject({ state: 'ok', found: expect.stringContaining(path) })
  })

  test('no value of a secret is ever shown', () => {
    const { home, folder, env } = someone()
    logIn(join(folder, '.claude'))
    const { stdout } = home.fleet(['doctor'], { env: { ...env, ANTHROPIC_API_KEY: 'very-secret' } })
    expect(stdout).not.toContain('very-secret')
  })
})

test('one line says what the permissions mean here, and when claude runs as root', () => {
  const home = testHome()
  const name = 'unattended'
  expect(checksOf(home)[name]).toEqual({
    name,
    state: 'info',
    found: expect.stringMatching(
      isRoot
        ? /^full: agents act without asking, as root: .*; claude does so as root only with IS_SANDBOX=1, which fleet sets$/
        : /^full: agents act without asking, as /,
    ),
  })
  home.fleet(['config', 'set', 'permissions=workspace'])
  expect(checksOf(home)[name]?.found).toMatch(/^workspace: [^;]*$/)
})

test('the process table is checked', () => {
  expect(checksOf(testHome())['processes']).toEqual({
    name: 'processes',
    state: 'ok',
    found: 'the process table (/proc) can be read',
  })
})

describe('pid namespaces', () => {
  const name = 'pid namespace'

  test.skipIf(!hasNamespace)('are used if they work', () => {
    expect(checksOf(testHome())[name]).toEqual({
      name,
      state: 'ok',
      found: 'works and is used: nothing that an agent starts outlives it',
    })
  })

  test('are not needed if they are switched off', () => {
    const home = testHome()
    home.fleet(['config', 'set', 'pid_namespace=off'])
    expect(checksOf(home)[name]).toEqual({
      name,
      state: 'info',
      found: 'switched off: what an agent leaves behind is found by its marker and ended',
    })
  })

  test('are a failure if they are required and do not work: no agent is started', () => {
    const home = testHome()
    home.fleet(['config', 'set', 'pid_namespace=on'])
    expect(checksOf(home, { PATH: '/nowhere' })[name]).toEqual({
      name,
      state: 'fail',
      found: 'no unshare on PATH, and pid_namespace is "on", so no agent is started',
      todo: 'fleet config set pid_namespace=auto',
    })
  })
})

test('doctor reports whether a supervisor is running', () => {
  const home = testHome()
  const name = 'supervisor'
  expect(checksOf(home)[name]).toEqual({ name, state: 'info', found: 'not running; fleet run starts one' })
  const started = home.fleet(['run', 'start'])
  const pid = /pid (\d+)/.exec(started.stdout)?.[1]
  try {
    expect(checksOf(home)[name]).toEqual({
      name,
      state: 'ok',
      found: expect.stringMatching(new RegExp(`^running \\(pid ${pid}, fleet \\d.*\\) since \\d{4}-`)),
    })
  } finally {
    expect(home.fleet(['run', 'stop']).code).toBe(0)
  }
})

describe('coders that queued tasks wait for', () => {
  test('are a warning where they are not on PATH, or their lane is down, and only then', () => {
    const home = testHome()
    const stub = stubAs('claude')
    const env = { HOME: temporaryFolder(), PATH: stub.path }
    const about = () => Object.values(checksOf(home, env)).filter(({ name }) => name.startsWith('tasks for '))
    const [mine, other] = [created(home, 'Mine'), created(home, 'Other', '--coder', 'codex')]
    expect(about()).toEqual([
      {
        name: 'tasks for codex',
        state: 'warn',
        found: `1 queued task (${other}) for codex: codex is not on PATH`,
        todo: `install codex; fleet bd update ${other} --coder <name> gives it to another`,
      },
    ])
    home.bd(['close', other])
    expect(about()).toEqual([])
    inLedger(home, (ledger) =>
      ledger.saveLane({ name: 'claude', state: 'down', until: null, code: 'login', reason: 'not logged in', since: 0 }),
    )
    expect(about()).toEqual([
      {
        name: 'tasks for claude',
        state: 'warn',
        found: `1 queued task (${mine}) for claude: its lane is down: not logged in`,
        todo: 'fix it, then fleet resume',
      },
    ])
  })

  test('are a warning where fleet does not know them any more', () => {
    const home = testHome()
    home.fleet(['config', 'set', 'coders.mine.command=["my-agent", "{prompt_file}"]'])
    const id = created(home, 'Mine', '--coder', 'mine')
    writeFileSync(join(home.path, 'runtime.toml'), '')
    expect(checksOf(home)['tasks for mine']).toMatchObject({
      state: 'warn',
      found: `1 queued task (${id}) for mine: fleet knows no such coder`,
    })
  })
})
