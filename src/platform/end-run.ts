import { setTimeout as delay } from 'node:timers/promises'
import type { Agents, Found, RunPlace } from '../ports/agents.ts'

export interface EndedRun {
  /** What SIGTERM did not reach or did not move, and was killed by its marker; once each. */
  readonly took: readonly Found[]
  /** SIGKILL was needed. */
  readonly forced: boolean
  /** What even SIGKILL did not end in time: a process that waits in the kernel, or forks faster than it can be found. */
  readonly left: readonly Found[]
  readonly ms: number
}

/**
 * Ends a run and returns when nothing of it is left, with or without a supervisor alive: SIGTERM to its group, SIGKILL
 * after the grace, then everything that carries its marker, until a pass over the process table finds nothing.
 */
export async function endRun(agents: Agents, place: RunPlace, { graceMs }: { graceMs: number }): Promise<EndedRun> {
  const started = performance.now()
  const sighting = agents.look(place)
  const run = sighting.kind === 'alive' && place.proc === null ? { ...place, proc: sighting.proc } : place

  agents.signal(run, 'SIGTERM')
  const graceful = await until(() => !agents.groupAlive(run), graceMs)
  if (!graceful) {
    agents.signal(run, 'SIGKILL')
    await until(() => !agents.groupAlive(run), KILL_MS)
  }
  const { took, left } = await killMarked(agents, run.run)
  const forced = !graceful || took.length > 0
  return { took, forced, left, ms: Math.round(performance.now() - started) }
}

/** A group without its leader is looked for in the whole process table. */
const POLL_MS = 50
const KILL_MS = 5000

/**
 * Stopped first and killed in the same breath: a parent that lives to see its child die starts another. A dying process
 * keeps its marker for a moment, so each is named once.
 */
async function killMarked(agents: Agents, run: string): Promise<{ took: Found[]; left: readonly Found[] }> {
  const took = new Map<string, Found>()
  let left: readonly Found[] = []
  const none = (): boolean => {
    left = agents.sweep().get(run) ?? []
    for (const found of left) agents.kill(found, 'SIGSTOP')
    for (const found of left) {
      agents.kill(found)
      took.set(`${found.pid} ${found.startTime}`, found)
    }
    return left.length === 0
  }
  await until(none, KILL_MS)
  return { took: [...took.values()], left }
}

/** Looks at once, then soon, then less often; false: not in time. */
async function until(condition: () => boolean, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs
  for (let wait = 1; !condition(); wait = Math.min(wait * 2, POLL_MS)) {
    if (performance.now() >= end) return false
    await delay(wait)
  }
  return true
}
