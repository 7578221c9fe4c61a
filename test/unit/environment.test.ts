import { expect, test } from 'vitest'
import { agentEnvironment, surroundings, withheld } from '../../src/domain/environment.ts'

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

test('an agent is given its surroundings without secrets, and what it needs to know of its run', () => {
  const env = {
    PATH: '/usr/bin',
    HOME: '/home/u',
    TMPDIR: '/tmp',
    GH_TOKEN: 'kept',
    NPM_TOKEN: 'secret',
    ANTHROPIC_API_KEY: 'secret',
    CLAUDECODE: '1',
    BD_ACTOR: 'somebody',
    FLEET_RUN_ID: 'an outer run',
    FLEET_OTHER: 'x',
    GIT_DIR: '/elsewhere/.git',
    GONE: undefined,
  }
  const place = {
    pass: ['GH_TOKEN'],
    home: '/h',
    taskId: 'fleet-a1b',
    taskDir: '/h/tasks/fleet-a1b',
    artifactDir: '/h/tasks/fleet-a1b/artifacts',
    runId: 'run-1',
    binFolder: '/h/bin',
    tmp: '/h/tasks/fleet-a1b/attempts/1/tmp',
    extra: { DISABLE_UPDATES: '1', HOME: '/home/lane', FLEET_RUN_ID: 'forged' },
  }
  expect(agentEnvironment(surroundings(env, ['GH_TOKEN']), place)).toEqual({
    PATH: '/h/bin:/usr/bin',
    HOME: '/home/lane',
    TMPDIR: '/h/tasks/fleet-a1b/attempts/1/tmp',
    GH_TOKEN: 'kept',
    DISABLE_UPDATES: '1',
    FLEET_HOME: '/h',
    FLEET_TASK_ID: 'fleet-a1b',
    FLEET_TASK_DIR: '/h/tasks/fleet-a1b',
    FLEET_ARTIFACT_DIR: '/h/tasks/fleet-a1b/artifacts',
    FLEET_RUN_ID: 'run-1',
  })
  expect(agentEnvironment({}, place)['PATH']).toMatch(/^\/h\/bin:\/usr/)
})
