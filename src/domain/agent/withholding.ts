import { looksSecret } from './secret-name.ts'
import { secretIn } from './secret-value.ts'
import { withoutLogin } from './without-login.ts'

/**
 * The variables that an agent does not inherit from the supervisor: those of model providers and of other agents (the wrong
 * account would pay, or the agent would join a surrounding agent's session), those whose names look like secrets, and those
 * whose values have a secret in them. Without a value it judges by the name alone.
 */
export type Withholds = (name: string, value?: string) => Withheld | undefined

export interface Withheld {
  /** For people. */
  readonly why: string
  /** The agent gets this in place of the value. */
  readonly instead?: string
  /** It belongs to an agent or a model provider: its value may well be no secret. */
  readonly ofAgent?: true
}

/** The variables of one agent or model provider. Names are in upper case; the case of a variable does not matter. */
export interface AgentVariables {
  /** `X` stands for X and everything that begins with X_. */
  readonly families?: readonly string[]
  /** `X` stands for everything that begins with X. */
  readonly beginnings?: readonly string[]
  readonly names?: readonly string[]
}

/** `pass` names variables that agents get in spite of the rules; `AWS_*` passes everything that begins with AWS_. */
export function withholding(agents: readonly AgentVariables[], pass: readonly string[]): Withholds {
  const all = [...agents, OTHER_AGENTS]
  const families = all.flatMap((agent) => agent.families ?? [])
  const beginnings = [...all.flatMap((agent) => agent.beginnings ?? []), ...families.map((family) => `${family}_`)]
  const names = new Set([...all.flatMap((agent) => agent.names ?? []), ...families])
  const belongsToAgent = (name: string) => {
    const upper = name.toUpperCase()
    return names.has(upper) || beginnings.some((beginning) => upper.startsWith(beginning))
  }
  const passes = (name: string) =>
    pass.some((rule) => (rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : name === rule))
  return (name, value) => {
    const withheld = belongsToAgent(name) ? OF_AGENT : looksSecret(name) ? BY_NAME : byValue(name, value)
    return withheld !== undefined && !passes(name) ? withheld : undefined
  }
}

const OF_AGENT: Withheld = { why: 'of an agent or a model provider', ofAgent: true }
const BY_NAME: Withheld = { why: 'by its name' }

function byValue(name: string, value: string | undefined): Withheld | undefined {
  // Without PATH an agent could start nothing.
  const found = value === undefined || name === 'PATH' ? undefined : secretIn(value)
  if (found === undefined) return undefined
  const instead = withoutLogin(name, value as string)
  if (instead === undefined) return { why: found.why }
  return { why: `${found.why}; agents get it without`, instead }
}

/** Model providers, and agents that fleet has no coder for. */
const OTHER_AGENTS: AgentVariables = {
  families: [
    'OPENROUTER',
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
  ],
  // Several agents set these around the commands they run.
  names: ['AI_AGENT', 'AGENT'],
}
