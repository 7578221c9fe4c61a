import { CODERS } from '../coders/registry.ts'
import type { Config } from '../config/schema.ts'
import type { SandboxMode } from '../domain/sandbox/sandbox.ts'
import { account } from '../platform/runtime/machine.ts'
import { trySandbox } from '../platform/sandbox/probe.ts'
import type { Check } from './check.ts'

type Settings = Pick<Config, 'coder' | 'sandbox' | 'sandbox_network' | 'projects'>

type Table = { [K in 'coder' | 'sandbox' | 'sandbox_network']: Config[K] }

/** Runs a program in the sandbox, as a supervisor does before it starts agents in it. */
export async function checkSandbox(config: Settings, env: NodeJS.ProcessEnv): Promise<Check> {
  const name = 'sandbox'
  const tables = [config, ...Object.values(config.projects)]
  const modes = new Set<SandboxMode>(tables.map(({ sandbox = 'off' }) => sandbox))
  const isAlone = tables.some(({ sandbox_network }) => sandbox_network === 'off')
  const tried = await trySandbox(isAlone ? 'off' : 'on', { env, isRoot: account().isRoot })
  if (!('fails' in tried)) {
    const cutOff = withoutModel(config)
    if (cutOff.length > 0) {
      const found = `works, but without a network ${cutOff.join(' and ')} cannot reach the model`
      return {
        name,
        state: 'warn',
        found,
        todo: 'sandbox_network = "off" is for scripts: set it for their project alone',
      }
    }
    const use =
      modes.has('required') || modes.has('preferred') ? 'used' : 'not used (sandbox = "preferred" turns it on)'
    return { name, state: 'ok', found: `works, ${use}` }
  }
  const why = tried.fails
  if (modes.has('required')) {
    const todo = 'make it work, or fleet config set sandbox=preferred'
    return { name, state: 'fail', found: `${why}; agents that must have one are not started`, todo }
  }
  if (modes.has('preferred')) return { name, state: 'warn', found: `${why}; agents are started without` }
  return { name, state: 'info', found: `${why}; not used` }
}

/** The coders of tasks that name none, which have a model and no network. */
export function withoutModel(
  config: Table & {
    readonly projects: Readonly<Record<string, { readonly [K in keyof Table]?: Table[K] | undefined }>>
  },
): readonly string[] {
  const found = [config, ...Object.values(config.projects)].flatMap((table) => {
    const { coder = config.coder, sandbox = config.sandbox, sandbox_network = config.sandbox_network } = table
    const isScript = CODERS.some(({ name, program }) => name === coder && program === undefined)
    return sandbox !== 'off' && sandbox_network === 'off' && !isScript ? [coder] : []
  })
  return [...new Set(found)]
}
