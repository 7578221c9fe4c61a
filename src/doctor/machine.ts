import { withheldFromAgents } from '../coders/withheld-variables.ts'
import { agentsWithin, openFilesFor } from '../domain/fleet/open-files.ts'
import { availableMemory, freeDisk } from '../platform/runtime/machine.ts'
import { openFilesLimit } from '../platform/runtime/open-files-limit.ts'
import type { Check } from './check.ts'

const MB = 1 << 20

export function checkDisk(path: string): Check {
  const free = freeDisk(path)
  const found = `${size(free)} free at ${path}`
  if (free < 32 * MB) return { name: 'disk', state: 'fail', found, todo: 'free some space: nothing can be recorded' }
  if (free < 1024 * MB) return { name: 'disk', state: 'warn', found, todo: 'free some space: agents write a lot' }
  return { name: 'disk', state: 'ok', found }
}

/** A coder CLI takes about 300 MB. */
export function checkMemory(agents: number): Check {
  const free = availableMemory()
  const found = `${size(free)} available, ${agents} agents at once`
  if (free >= agents * 300 * MB) return { name: 'memory', state: 'ok', found }
  return {
    name: 'memory',
    state: 'warn',
    found,
    todo: `fleet config set max_concurrent=${Math.max(1, Math.floor(free / (300 * MB)))}`,
  }
}

/** The limit that a supervisor started from here would have. */
export function checkOpenFiles(agents: number): Check {
  const name = 'open files'
  const limit = openFilesLimit()
  if (limit === undefined) return { name, state: 'ok', found: 'no limit is known' }
  const most = agentsWithin(limit)
  const found = `at most ${limit}, room for ${most} agents, ${agents} at once`
  if (most >= agents) return { name, state: 'ok', found }
  return {
    name,
    state: most === 0 ? 'fail' : 'warn',
    found,
    todo: `ulimit -n ${openFilesFor(agents)} before fleet run, or fleet config set max_concurrent=${Math.max(1, most)}`,
  }
}

/** Names and reasons only: the values may be secrets. */
export function checkEnvironment(env: NodeJS.ProcessEnv, pass: readonly string[]): Check {
  const withholds = withheldFromAgents(pass)
  const byReason = new Map<string, string[]>()
  for (const name of Object.keys(env).sort()) {
    const why = withholds(name, env[name])?.why
    if (why !== undefined) byReason.set(why, [...(byReason.get(why) ?? []), name])
  }
  if (byReason.size === 0) return { name: 'environment', state: 'ok', found: 'nothing is withheld from agents' }
  const groups = [...byReason].map(([why, names]) => `${names.join(', ')} (${why})`)
  return {
    name: 'environment',
    state: 'info',
    found: `withheld from agents: ${groups.join('; ')}. env_pass lets names through`,
  }
}

function size(bytes: number): string {
  return bytes >= 1024 * MB ? `${(bytes / (1024 * MB)).toFixed(1)} GB` : `${Math.floor(bytes / MB)} MB`
}
