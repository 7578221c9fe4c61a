import { expect, test } from 'vitest'
import { agentEnvironment, surroundings, withheld } from '../../../src/domain/agent/environment.ts'

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

/** As test/real/surroundings.test.ts sees them set around a command; those of a shell and of how it prints are not listed. */
test.each([
  {
    agent: 'claude 2.1.325',
    names:
      'AI_AGENT CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_SESSION_ID CLAUDE_EFFORT CLAUDE_PID',
  },
  {
    agent: 'codex 0.166.0',
    names:
      'CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS CODEX_CI CODEX_SESSION_ID CODEX_THREAD_ID CODEX_TOOL_CALL_ID CODEX_VERSION',
  },
  { agent: 'opencode 1.18.33', names: 'AGENT OPENCODE OPENCODE_PID' },
  { agent: 'gemini 0.61.0', names: 'GEMINI_CLI GEMINI_CLI_NO_RELAUNCH GEMINI_CLI_TRUST_WORKSPACE' },
])('what $agent sets around a command is withheld', ({ names }) => {
  expect(withheld(names.split(' '), [])).toEqual(names.split(' '))
})

test('where a service is asked, who pays it and what an agent may do are not for surroundings to say', () => {
  const names =
    'AMP_URL API_TIMEOUT_MS CLOUD_CODE_URL CODE_ASSIST_ENDPOINT ENABLE_TOOL_SEARCH FACTORY_HOME GITHUB_COPILOT_HOST GOOGLE_VERTEX_BASE_URL IS_SANDBOX OLLAMA_HOST OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TRACES_HEADERS ZAI_BASE_URL ZHIPU_BASE_URL'
  expect(withheld(names.split(' '), [])).toEqual(names.split(' '))
})

test('the settings that git is told by variables are given whole, or it refuses to run', () => {
  expect(withheld(['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0'], [])).toEqual([])
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
    'AGENT_NAME',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
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
