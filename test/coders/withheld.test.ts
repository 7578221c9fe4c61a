import { expect, test } from 'vitest'
import { withheldFromAgents } from '../../src/coders/withheld-variables.ts'

/** Those of these names that agents do not get, whatever their value. */
function withheld(names: readonly string[], pass: readonly string[] = []): readonly string[] {
  const withholds = withheldFromAgents(pass)
  return names.filter((name) => withholds(name) !== undefined)
}

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
  expect(withheld(names)).toEqual(names)
})

/** Recorded by test/real/alone.ts, without the variables of the shell and of its output. */
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
])('the variables that $agent sets around a command are withheld', ({ names }) => {
  expect(withheld(names.split(' '))).toEqual(names.split(' '))
})

test('agents do not inherit the address of a service, who pays for it, or what an agent may do', () => {
  const names =
    'AMP_URL API_TIMEOUT_MS CLOUD_CODE_URL CODE_ASSIST_ENDPOINT ENABLE_TOOL_SEARCH FACTORY_HOME GITHUB_COPILOT_HOST GOOGLE_VERTEX_BASE_URL IS_SANDBOX OLLAMA_HOST OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TRACES_HEADERS ZAI_BASE_URL ZHIPU_BASE_URL'
  expect(withheld(names.split(' '))).toEqual(names.split(' '))
})

test('agents inherit the git settings in variables completely, or git would refuse to run', () => {
  expect(withheld(['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0'])).toEqual([])
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
    'MYSQL_PWD',
    'SSHPASS',
    'DBPASS',
    'ROOT_PW',
    'DOCKER_AUTH_CONFIG',
    'VOLC_SK',
    'BEARER',
    'SLACK_WEBHOOK_URL',
    'PROXY_AUTHORIZATION',
  ]
  expect(withheld(names)).toEqual(names)
})

test('agents inherit ordinary variables', () => {
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
    'BYPASS',
    'FLEET_HOME',
    'GOOGLE_CLOUD_PROJECT',
    'NODE_OPTIONS',
    'AGENT_NAME',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'GPG_TTY',
    'LS_COLORS',
    'XAUTHORITY',
    'XDG_SESSION_ID',
    'DBUS_SESSION_BUS_ADDRESS',
    'INIT_PWD',
    'AUTHOR',
    'TASK',
  ]
  expect(withheld(names)).toEqual([])
})

test('env_pass lets a name through, and a star every name with that beginning', () => {
  const names = ['GH_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'NPM_TOKEN']
  expect(withheld(names, ['GH_TOKEN', 'AWS_*'])).toEqual(['NPM_TOKEN'])
})
