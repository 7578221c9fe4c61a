import { agyLogin, agyLoginNames } from '../coders/agy/login.ts'
import { claudeLogin, claudeLoginNames } from '../coders/claude/login.ts'
import { codexLogin, codexLoginNames } from '../coders/codex/login.ts'
import { geminiLogin, geminiLoginNames } from '../coders/gemini/login.ts'
import { opencodeLogin, opencodeLoginNames, opencodeProvider } from '../coders/opencode/login.ts'
import { KNOWLEDGE } from '../coders/shared/knowledge.ts'
import type { Login, Variables } from '../coders/shared/login.ts'
import type { Config } from '../config/schema.ts'
import { withheld } from '../domain/agent/environment.ts'
import { entryAt } from '../platform/files/folder.ts'
import { findProgram } from '../platform/process/program.ts'
import type { Check } from './check.ts'

interface Rule {
  readonly of: (given: Variables) => Login | undefined
  /** Where the file that decides is not there. */
  readonly instead?: (given: Variables) => Login | undefined
  /** Of these names those that would have decided it. */
  readonly names: (names: readonly string[]) => readonly string[]
  /** The variable that most people have. */
  readonly usual: string
  /** What a variable pays before, or on what condition. */
  readonly pays?: string
  /** What it means that there is no file, where that does not mean that there is no login. */
  readonly without?: string
}

const RULES: Readonly<Record<string, Rule>> = {
  agy: {
    of: agyLogin,
    names: agyLoginNames,
    usual: 'GEMINI_API_KEY',
    pays: 'if its settings.json says "modelProvider": "gemini", otherwise its own login',
    without: 'in the keyring of your session, which fleet does not open, or none',
  },
  claude: { of: claudeLogin, names: claudeLoginNames, usual: 'CLAUDE_CODE_OAUTH_TOKEN' },
  codex: { of: codexLogin, names: codexLoginNames, usual: 'CODEX_API_KEY' },
  gemini: { of: geminiLogin, names: geminiLoginNames, usual: 'GEMINI_API_KEY' },
  opencode: { of: opencodeLogin, instead: opencodeProvider, names: opencodeLoginNames, usual: 'OPENCODE_API_KEY' },
}

type Settings = Pick<Config, 'env_pass' | 'coders'>

/** Which account will pay, without starting a model and without reading a secret. None where the coder is not there. */
export function checkLogins(env: NodeJS.ProcessEnv, settings: Settings, wanted: ReadonlySet<string>): Check[] {
  return Object.entries(RULES).flatMap(([coder, rule]) =>
    findProgram(coder, env) === undefined
      ? []
      : [checkLogin(coder, rule, { env, settings, wanted: wanted.has(coder) })],
  )
}

interface Asked {
  readonly env: NodeJS.ProcessEnv
  readonly settings: Settings
  readonly wanted: boolean
}

function checkLogin(coder: string, rule: Rule, { env, settings, wanted }: Asked): Check {
  const name = `${coder} login`
  const kept = new Set(withheld(Object.keys(env), settings.env_pass))
  const passed = Object.fromEntries(Object.entries(env).filter(([each]) => !kept.has(each)))
  const given = { ...passed, ...settings.coders[coder]?.env }
  const first = rule.of(given)
  const login = first?.kind === 'file' && entryAt(first.path) === undefined ? rule.instead?.(given) : first
  const names = rule.names([...kept])
  const asides = [
    ...(names.length === 0 ? [] : [`; set here but withheld from agents: ${names.join(', ')}`]),
    ...(KNOWLEDGE[coder]?.proven === false ? ['; from what others wrote, untried'] : []),
  ]
  const aside = asides.join('')
  if (login?.kind === 'variable') {
    return { name, state: 'ok', found: `the account of ${login.name}, ${rule.pays ?? 'before any other'}${aside}` }
  }
  if (login !== undefined) {
    const found = `the login in ${login.path}, which is not read: ${coder} alone knows whether it is still good${aside}`
    return { name, state: 'ok', found }
  }
  const missing = first?.kind === 'file' ? ` (there is no ${first.path})` : ''
  return {
    name,
    state: wanted && rule.without === undefined ? 'warn' : 'info',
    found: `${rule.without ?? 'none is found'}${missing}${aside}`,
    todo: `log in with ${coder}, or let a variable through: fleet config set 'env_pass=["${names[0] ?? rule.usual}"]'`,
  }
}
