import { expect, test } from 'vitest'
import { withheld } from '../../src/domain/environment.ts'

test('variables of model providers and of surrounding agents are withheld', () => {
  const names = [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_BASE_URL',
    'OPENAI_BASE_URL',
    'CLAUDECODE',
    'CLAUDE_CODE_ENTRYPOINT',
    'CODEX_HOME',
    'GEMINI_CLI_HOME',
    'GOOGLE_API_KEY',
    'OPENCODE_CONFIG',
  ]
  expect(withheld(names, [])).toEqual([...names].sort())
})

test('names that look like secrets are withheld, whatever their case', () => {
  const names = [
    'GITHUB_TOKEN',
    'NPM_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'PGPASSWORD',
    'DB_PASS',
    'my_api_key',
    'SESSION_COOKIE',
    'NPM_CONFIG__AUTH',
    'X_CREDENTIALS',
  ]
  expect(withheld(names, [])).toEqual([...names].sort())
})

test('ordinary variables are given', () => {
  const names = [
    'PATH',
    'HOME',
    'PWD',
    'OLDPWD',
    'LANG',
    'TERM',
    'SSH_AUTH_SOCK',
    'GIT_ASKPASS',
    'KEYBOARD_LAYOUT',
    'MONKEY',
    'TOKENIZERS_PARALLELISM',
    'COMPASS_HOME',
    'FLEET_HOME',
    'GOOGLE_CLOUD_PROJECT',
    'NODE_OPTIONS',
  ]
  expect(withheld(names, [])).toEqual([])
})

test('a name in env_pass is given, and a star gives all that begin so', () => {
  const names = ['GH_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'NPM_TOKEN']
  expect(withheld(names, ['GH_TOKEN', 'AWS_*'])).toEqual(['NPM_TOKEN'])
})
