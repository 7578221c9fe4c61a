import { CODERS } from '../coders/registry.ts'
import { permissionsLine } from '../config/permissions.ts'
import type { Config } from '../config/schema.ts'
import type { Home } from '../platform/files/home.ts'
import { findUnshare, namespaceWorks } from '../platform/process/namespace.ts'
import { processTableStanding } from '../platform/process/table-standing.ts'
import { account } from '../platform/runtime/machine.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { Check } from './check.ts'

type Settings = Pick<Config, 'permissions' | 'pid_namespace'>

/** The meaning of the configured permissions on this machine. */
export function checkUnattended({ permissions }: Settings): Check {
  const who = account()
  const conditions = CODERS.flatMap(({ name, asRoot }) => (asRoot === undefined ? [] : [`${name} ${asRoot}`]))
  const found = [permissionsLine(permissions, who), ...(who.isRoot && permissions === 'full' ? conditions : [])]
  return { name: 'unattended', state: 'info', found: found.join('; ') }
}

/** A pid namespace ends an agent with everything it started; without one fleet searches for those processes. */
export async function checkNamespace({ pid_namespace: setting }: Settings): Promise<Check> {
  const name = 'pid namespace'
  const instead = 'what an agent leaves behind is found by its marker and ended'
  if (setting === 'off') return { name, state: 'info', found: `switched off: ${instead}` }
  if (await namespaceWorks()) {
    return { name, state: 'ok', found: 'works and is used: nothing that an agent starts outlives it' }
  }
  const why =
    findUnshare() === undefined
      ? 'no unshare on PATH'
      : account().isRoot
        ? 'not allowed here'
        : 'only root can make one'
  if (setting === 'auto') return { name, state: 'info', found: `${why}: ${instead}` }
  return {
    name,
    state: 'fail',
    found: `${why}, and pid_namespace is "on", so no agent is started`,
    todo: 'fleet config set pid_namespace=auto',
  }
}

/** fleet identifies an agent by pid, start time and boot, which it reads from /proc or from `ps`. */
export function checkProcesses(): Check {
  const name = 'processes'
  const { problem, found, unseen } = processTableStanding()
  if (problem !== undefined) {
    return { name, state: 'fail', found: problem.message, ...(problem.hint && { todo: problem.hint }) }
  }
  if (unseen !== undefined) return { name, state: 'warn', found: `${found}; ${unseen.effect}`, todo: unseen.todo }
  return { name, state: 'ok', found }
}

export function checkSupervisor(home: Home): Check {
  const name = 'supervisor'
  const holder = supervisorAlive(home)
  if (holder === undefined) return { name, state: 'info', found: 'not running; fleet run starts one' }
  const { proc, startedAt, version } = holder
  if (proc === null) return { name, state: 'ok', found: 'running, where this process cannot see it' }
  const since = startedAt === null ? '' : ` since ${new Date(startedAt).toISOString()}`
  return { name, state: 'ok', found: `running (pid ${proc.pid}, fleet ${version ?? 'unknown'})${since}` }
}
