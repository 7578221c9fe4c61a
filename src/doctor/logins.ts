import type { CoderDescriptor } from '../coders/descriptor.ts'
import { CODERS } from '../coders/registry.ts'
import type { LoginRule } from '../coders/shared/login.ts'
import { withheldFromAgents } from '../coders/withheld-variables.ts'
import type { Config } from '../config/schema.ts'
import { readText } from '../platform/files/files.ts'
import { entryAt } from '../platform/files/folder.ts'
import { inKeychain } from '../platform/process/keychain.ts'
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
  platform: NodeJS.Platform = process.platform,
): Promise<Check[]> {
  const checks = await Promise.all(
    CODERS.map(async (coder) => {
      const rule = await coder.login?.()
      if (rule === undefined || coder.program === undefined || findProgram(coder.program, env) === undefined) return []
      return [await checkLogin(coder, rule, { env, settings, wanted: wanted.has(coder.name), platform })]
    }),
  )
  return checks.flat()
}

interface Asked {
  readonly env: NodeJS.ProcessEnv
  readonly settings: Settings
  readonly wanted: boolean
  readonly platform: NodeJS.Platform
}

async function checkLogin(coder: CoderDescriptor, rule: LoginRule, asked: Asked): Promise<Check> {
  const { env, settings, wanted } = asked
  const name = `${coder.name} login`
  const withholds = withheldFromAgents(settings.env_pass)
  const passed = Object.fromEntries(Object.entries(env).filter(([each, value]) => withholds(each, value) === undefined))
  const given = { ...passed, ...settings.coders[coder.name]?.env }
  const first = rule.find(given)
  const deciding = rule.deciding(
    Object.keys(env)
      .filter((each) => withholds(each, env[each]) !== undefined)
      .sort(),
  )
  const asides = [
    ...(deciding.length === 0 ? [] : [`; set here but withheld from agents: ${deciding.join(', ')}`]),
    ...(coder.knowledge.proven ? [] : ['; from what others wrote, untried']),
  ]
  const aside = asides.join('')
  const ok = (where: string): Check => {
    const found = `the login in ${where}, which is not read: ${coder.name} alone knows whether it is still good${aside}`
    return { name, state: 'ok', found }
  }
  const byVariable = (variable: string): Check => {
    return { name, state: 'ok', found: `the account of ${variable}, ${rule.pays ?? 'before any other'}${aside}` }
  }
  if (first?.kind === 'variable') return byVariable(first.name)
  const todo = `log in with ${coder.name}, or let a variable through: fleet config set 'env_pass=["${deciding[0] ?? rule.usual}"]'`
  const hidden = await outOfSight(rule, given, asked)
  if (hidden?.kind === 'there') return ok(hidden.where)
  const isFile = first?.kind === 'file' && entryAt(first.path) !== undefined
  if (hidden?.kind === 'unseen' && !(hidden.orFile && isFile)) {
    const unless = `if ${coder.name} says that it is not logged in: ${todo}`
    return { name, state: 'info', found: `cannot be seen: ${hidden.where}${aside}`, todo: unless }
  }
  const login = isFile ? first : rule.withoutFile?.(given)
  if (login?.kind === 'variable') return byVariable(login.name)
  if (login !== undefined) return ok(login.path)
  const missing = first?.kind === 'file' ? ` (there is no ${first.path})` : ''
  return {
    name,
    state: wanted && rule.elsewhere === undefined ? 'warn' : 'info',
    found: `${rule.elsewhere ?? 'none is found'}${missing}${aside}`,
    todo,
  }
}

type OutOfSight =
  | { readonly kind: 'there'; readonly where: string }
  /** `orFile`: the file counts if it exists. */
  | { readonly kind: 'unseen'; readonly where: string; readonly orFile: boolean }

/** A login in a Keychain or keyring; undefined: there is none, so the file decides. */
async function outOfSight(
  rule: LoginRule,
  given: NodeJS.ProcessEnv,
  { env, platform }: Asked,
): Promise<OutOfSight | undefined> {
  const service = platform === 'darwin' ? rule.keychain?.(given) : undefined
  if (service !== undefined) {
    const found = await inKeychain(service, env)
    if (found === 'there') return { kind: 'there', where: `the Keychain ("${service}")` }
    const where = `the Keychain does not say whether it has "${service}"; it may be locked`
    return found === 'unseen' ? { kind: 'unseen', where, orFile: true } : undefined
  }
  const settings = rule.settings?.(given)
  const where = settings === undefined ? undefined : settings.hides(textOf(settings.path))
  return where === undefined ? undefined : { kind: 'unseen', where: `${where}, says ${settings?.path}`, orFile: false }
}

function textOf(path: string): string {
  try {
    return readText(path) ?? ''
  } catch {
    return ''
  }
}
