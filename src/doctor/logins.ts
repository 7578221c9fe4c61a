import type { CoderDescriptor } from '../coders/descriptor.ts'
import { CODERS } from '../coders/registry.ts'
import type { LoginRule } from '../coders/shared/login.ts'
import { withheldFromAgents } from '../coders/withheld-variables.ts'
import type { Config } from '../config/schema.ts'
import { entryAt } from '../platform/files/folder.ts'
import { findProgram } from '../platform/process/program.ts'
import type { Check } from './check.ts'

type Settings = Pick<Config, 'env_pass' | 'coders'>

/**
 * Which account will pay for each installed coder, without starting a model and without reading a secret. `wanted` names
 * the coders whose missing login is worth a warning.
 */
export async function checkLogins(
  env: NodeJS.ProcessEnv,
  settings: Settings,
  wanted: ReadonlySet<string>,
): Promise<Check[]> {
  const checks = await Promise.all(
    CODERS.map(async (coder) => {
      const rule = await coder.login?.()
      if (rule === undefined || coder.program === undefined || findProgram(coder.program, env) === undefined) return []
      return [checkLogin(coder, rule, { env, settings, wanted: wanted.has(coder.name) })]
    }),
  )
  return checks.flat()
}

interface Asked {
  readonly env: NodeJS.ProcessEnv
  readonly settings: Settings
  readonly wanted: boolean
}

function checkLogin(coder: CoderDescriptor, rule: LoginRule, { env, settings, wanted }: Asked): Check {
  const name = `${coder.name} login`
  const withholds = withheldFromAgents(settings.env_pass)
  const passed = Object.fromEntries(Object.entries(env).filter(([each]) => !withholds(each)))
  const given = { ...passed, ...settings.coders[coder.name]?.env }
  const first = rule.find(given)
  const login = first?.kind === 'file' && entryAt(first.path) === undefined ? rule.withoutFile?.(given) : first
  const deciding = rule.deciding(Object.keys(env).filter(withholds).sort())
  const asides = [
    ...(deciding.length === 0 ? [] : [`; set here but withheld from agents: ${deciding.join(', ')}`]),
    ...(coder.knowledge.proven ? [] : ['; from what others wrote, untried']),
  ]
  const aside = asides.join('')
  if (login?.kind === 'variable') {
    return { name, state: 'ok', found: `the account of ${login.name}, ${rule.pays ?? 'before any other'}${aside}` }
  }
  if (login !== undefined) {
    const found = `the login in ${login.path}, which is not read: ${coder.name} alone knows whether it is still good${aside}`
    return { name, state: 'ok', found }
  }
  const missing = first?.kind === 'file' ? ` (there is no ${first.path})` : ''
  return {
    name,
    state: wanted && rule.elsewhere === undefined ? 'warn' : 'info',
    found: `${rule.elsewhere ?? 'none is found'}${missing}${aside}`,
    todo: `log in with ${coder.name}, or let a variable through: fleet config set 'env_pass=["${deciding[0] ?? rule.usual}"]'`,
  }
}
