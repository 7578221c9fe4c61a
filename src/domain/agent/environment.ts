/**
 * Which variables of its surroundings an agent is not given: those of model providers and of agents (the wrong account
 * would pay, or a surrounding agent's session would be joined), and those whose names look like secrets.
 */

const PROVIDERS_AND_AGENTS = [
  'ANTHROPIC',
  'CLAUDE',
  'OPENAI',
  'AZURE_OPENAI',
  'CODEX',
  'GEMINI',
  'GOOGLE_API',
  'GOOGLE_GEMINI',
  'GOOGLE_GENAI',
  'GOOGLE_GENERATIVE_AI',
  'GOOGLE_VERTEX',
  'VERTEX',
  'OPENROUTER',
  'OPENCODE',
  'MISTRAL',
  'GROQ',
  'XAI',
  'GROK',
  'DEEPSEEK',
  'COHERE',
  'TOGETHER',
  'FIREWORKS',
  'PERPLEXITY',
  'CEREBRAS',
  'HUGGINGFACE',
  'HF',
  'DASHSCOPE',
  'QWEN',
  'MOONSHOT',
  'KIMI',
  'AGY',
  'ANTIGRAVITY',
  'CURSOR',
  'COPILOT',
  'AIDER',
  'GOOSE',
  'CLINE',
  'AI_GATEWAY',
  'OLLAMA',
  'ZHIPU',
  'ZAI',
  'MINIMAX',
  'LITELLM',
  'BEDROCK',
  'AMP',
  'FACTORY',
  'GITHUB_COPILOT',
  'WINDSURF',
  'KIRO',
  'AUGMENT',
] as const

/**
 * Those without such a beginning: that an agent is around, where its service is, and what tells claude how it may run.
 * A cloud project is nobody's but the person's: logins of a company do not work without it.
 */
const NAMES_OF_AGENTS = new Set([
  'AI_AGENT',
  'AGENT',
  'IS_SANDBOX',
  'API_TIMEOUT_MS',
  'ENABLE_TOOL_SEARCH',
  'CLOUD_CODE_URL',
  'CODE_ASSIST_ENDPOINT',
])

/** CLAUDE and CLAUDECODE both: an agent's own variables do not all have an underscore. */
const PREFIX_WITHOUT_UNDERSCORE = new Set<string>(['CLAUDE'])

const SECRET_WORDS = new Set([
  'TOKEN',
  'TOKENS',
  'SECRET',
  'SECRETS',
  'PASSWORD',
  'PASSWORDS',
  'PASSWD',
  'PASSPHRASE',
  'PASS',
  'PASSCODE',
  'KEY',
  'KEYS',
  'APIKEY',
  'CREDENTIAL',
  'CREDENTIALS',
  'CREDS',
  'COOKIE',
  'COOKIES',
  'JWT',
  'PAT',
])
/** GITHUBTOKEN, PGPASSWORD: words run together. KEY is not among them (MONKEY, HOTKEY). */
const SECRET_ENDING = /(?:TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|PRIVATEKEY|ACCESSKEY|SECRETKEY|CREDENTIALS?)$/

/** What a collector of traces wants to be told with them is a login. */
const SECRET_HEADERS = /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/
/** The name of a setting: git refuses to run where one of as many as it was promised is missing. */
const SETTING_OF_GIT = /^GIT_CONFIG_KEY_\d+$/

export function looksSecret(name: string): boolean {
  const upper = name.toUpperCase()
  if (SETTING_OF_GIT.test(upper)) return false
  if (SECRET_HEADERS.test(upper)) return true
  const words = upper.split(/[^A-Z0-9]+/)
  return words.some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word)) || words.at(-1) === 'AUTH'
}

export function belongsToAgent(name: string): boolean {
  const upper = name.toUpperCase()
  if (NAMES_OF_AGENTS.has(upper)) return true
  return PROVIDERS_AND_AGENTS.some(
    (prefix) =>
      upper.startsWith(`${prefix}_`) ||
      upper === prefix ||
      (PREFIX_WITHOUT_UNDERSCORE.has(prefix) && upper.startsWith(prefix)),
  )
}

/** The names withheld, sorted. `pass` lists names that are given all the same; `AWS_*` passes all that begin with AWS_. */
export function withheld(names: Iterable<string>, pass: readonly string[]): string[] {
  const passes = (name: string) =>
    pass.some((rule) => (rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : name === rule))
  return [...names].filter((name) => (belongsToAgent(name) || looksSecret(name)) && !passes(name)).sort()
}

/** The values of those variables: whoever prints one tells a secret, or may. */
export function secretsIn(variables: Readonly<Record<string, string | undefined>>): string[] {
  return withheld(Object.keys(variables), []).flatMap((name) => variables[name] ?? [])
}

export interface AgentPlace {
  readonly home: string
  readonly taskId: string
  readonly taskDir: string
  readonly artifactDir: string
  readonly runId: string
  /** Where the `fleet` command stands; first on PATH, so that the agent calls the one that runs it. */
  readonly binFolder: string
  /** The attempt's own folder for temporary files. */
  readonly tmp: string
  /** Of the coder or the lane. They win over what surrounds us, never over fleet's own. */
  readonly extra: Readonly<Record<string, string>>
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What every agent is given of what surrounds the supervisor. `pass`: names given in spite of the rules, from `env_pass`. */
export function surroundings(
  env: Readonly<Record<string, string | undefined>>,
  pass: readonly string[],
): Readonly<Record<string, string>> {
  const refused = new Set(withheld(Object.keys(env), pass))
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !refused.has(entry[0]) && !isOfTheStarter(entry[0]),
  )
  return Object.fromEntries(given)
}

/** Everything an agent's process is given. */
export function agentEnvironment(given: Readonly<Record<string, string>>, place: AgentPlace): Record<string, string> {
  const { extra } = place
  return {
    ...given,
    ...extra,
    PATH: `${place.binFolder}:${extra['PATH'] || given['PATH'] || DEFAULT_PATH}`,
    TMPDIR: place.tmp,
    FLEET_HOME: place.home,
    FLEET_TASK_ID: place.taskId,
    FLEET_TASK_DIR: place.taskDir,
    FLEET_ARTIFACT_DIR: place.artifactDir,
    FLEET_RUN_ID: place.runId,
  }
}

/**
 * An actor or a JSON habit of the person who started the supervisor would otherwise become the agent's; and a supervisor
 * started from a git hook would send every agent's git to that one repository.
 */
function isOfTheStarter(name: string): boolean {
  return /^(?:FLEET|BD|BEADS)_/.test(name) || LOCAL_TO_A_REPOSITORY.has(name)
}

/** As `git rev-parse --local-env-vars` names them, without those that carry configuration. */
const LOCAL_TO_A_REPOSITORY = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
])
