import type { RunInput } from '../../domain/run/run-machine.ts'
import type { World } from '../world.ts'
import type { LiveRun } from './live-run.ts'

/**
 * Stops an agent that pays with a key fleet did not give it, for example from its own settings, before it spends more: a
 * person decides which account pays, by listing the variable in env_pass.
 */
export function wrongPayer(world: World, { coder, digest, state, record }: LiveRun): RunInput | undefined {
  const name = digest.payer === undefined ? undefined : coder.payers?.[digest.payer]
  if (name === undefined || state.phase !== 'running') return undefined
  const policy = world.policy()
  if (policy.withholds(name) === undefined || policy.coderEnv(record.coder)[name] !== undefined) return undefined
  const text = `${coder.name} pays with ${name}, which fleet did not give it; if that is meant: fleet config set 'env_pass=["${name}"]'`
  return { kind: 'stop', want: { code: 'login', text } }
}

/** The reverse: the agent was given a key to pay with, and its coder says that another account pays. */
export function unusedKey(world: World, { coder, digest, record }: LiveRun): string | undefined {
  if (digest.payer === undefined) return undefined
  const given = world.environment.of(record)
  const unused = Object.entries(coder.payers ?? {}).find(([payer, name]) => given[name] && payer !== digest.payer)
  return unused && `${coder.name} was given ${unused[1]}, but says that another account pays: ${digest.payer}`
}
