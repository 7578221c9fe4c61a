import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { validated } from '../../src/config/load.ts'
import { checkLogins } from '../../src/doctor/logins.ts'
import { temporaryFolder } from '../support/cli.ts'

const SETTINGS = { env_pass: [], coders: {} }

/** A machine with these programs on PATH and nothing else. */
function machine(programs: Readonly<Record<string, string>>): { HOME: string; PATH: string; USER: string } {
  const folder = temporaryFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { HOME: folder, PATH: bin, USER: 'ann' }
}

const claudeLogin = async (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = 'darwin') =>
  (await checkLogins(env, SETTINGS, new Set(['claude']), platform)).find(({ name }) => name === 'claude login')

const suffix = (folder: string) => createHash('sha256').update(folder.normalize('NFC')).digest('hex').slice(0, 8)

/** Like Apple's: exit 44 for an item that is not there. Writes its arguments down; has a secret that must not appear. */
const security = (service: string) =>
  `printf '%s\\n' "$@" >"$HOME/asked"\n[ "$3" = '${service}' ] || exit 44\necho 'keychain: "login.keychain-db"'\ncase " $* " in *' -w '*|*' -g '*) echo s3cret;; esac`

test('on macOS the login of claude is looked for in the Keychain, and no secret is asked for', async () => {
  const env = machine({ claude: 'echo 2.1.0', security: security('Claude Code-credentials') })
  expect(await claudeLogin(env)).toEqual({
    name: 'claude login',
    state: 'ok',
    found:
      'the login in the Keychain ("Claude Code-credentials"), which is not read: claude alone knows whether it is still good',
  })
  expect(readFileSync(join(env.HOME, 'asked'), 'utf8')).toBe(
    'find-generic-password\n-s\nClaude Code-credentials\n-a\nann\n',
  )
})

test('an account folder of its own has an item of its own', async () => {
  // In decomposed form, as macOS may hand a path on.
  const folder = '/Users/ann/cafe\u0301'
  const env = machine({ claude: 'echo', security: security(`Claude Code-credentials-${suffix(folder)}`) })
  const loginIn = async (CLAUDE_CONFIG_DIR: string) => {
    const given = { coders: { claude: { env: { CLAUDE_CONFIG_DIR } } } }
    const settings = validated(given, { path: 'runtime.toml', fileCoders: [] })
    return (await checkLogins(env, settings, new Set(['claude']), 'darwin')).find(({ name }) => name === 'claude login')
  }
  expect(await loginIn(folder)).toMatchObject({ state: 'ok' })
  expect(await loginIn('/Users/ann/other')).toMatchObject({
    state: 'warn',
    found: 'none is found (there is no /Users/ann/other/.credentials.json)',
  })
})

test.each([
  ['locked', 'exit 36'],
  ['silent', 'exec sleep 60'],
])('a Keychain that is %s is not called "not logged in"', { timeout: 30_000 }, async (_, script) => {
  const env = machine({ claude: 'echo', security: script, sleep: 'exec /bin/sleep "$@"' })
  expect(await claudeLogin(env)).toMatchObject({
    state: 'info',
    found: 'cannot be seen: the Keychain does not say whether it has "Claude Code-credentials"; it may be locked',
    todo: expect.stringMatching(/^if claude says that it is not logged in: log in with claude, or let a variable/),
  })
})

test('without an item the file counts; elsewhere the Keychain is not asked', async () => {
  const env = machine({ claude: 'echo', security: security('another') })
  mkdirSync(join(env.HOME, '.claude'))
  writeFileSync(join(env.HOME, '.claude', '.credentials.json'), '{}')
  for (const platform of ['darwin', 'linux'] as const) {
    expect(await claudeLogin(env, platform)).toMatchObject({
      state: 'ok',
      found: expect.stringContaining(`the login in ${env.HOME}/.claude/.credentials.json`),
    })
  }
})

test.each([
  ['keyring', 'cannot be seen: in the keyring of your session, says '],
  ['auto', 'cannot be seen: in the keyring of your session or in its file, says '],
])('a codex that keeps its login in %j is not called "not logged in"', async (store, found) => {
  const env = machine({ codex: 'echo' })
  mkdirSync(join(env.HOME, '.codex'))
  const codexLogin = async (config: string) => {
    writeFileSync(join(env.HOME, '.codex', 'config.toml'), config)
    const checks = await checkLogins(env, SETTINGS, new Set(['codex']), 'linux')
    return checks.find(({ name }) => name === 'codex login')
  }
  expect(await codexLogin(`model = "x"\ncli_auth_credentials_store = "${store}"\n\n[mcp]\n`)).toMatchObject({
    state: 'info',
    found: `${found}${env.HOME}/.codex/config.toml`,
  })
  // The same key in a table is another setting.
  expect(await codexLogin(`[profiles.x]\ncli_auth_credentials_store = "${store}"\n`)).toMatchObject({ state: 'warn' })
  expect(await codexLogin('cli_auth_credentials_store = "file"\n')).toMatchObject({ state: 'warn' })
})
