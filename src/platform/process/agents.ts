import type { Proc } from '../../domain/run/run.ts'
import type { Agents, Found, RunPlace, Sighting } from '../../ports/agents.ts'
import { exitFile, recordedExit, startRecord, takeStart } from './exit-file.ts'
import type { Launcher } from './launcher.ts'
import {
  ageMs,
  argumentsOf,
  bootId,
  isThisBoot,
  isThisKernel,
  markerOf,
  processEntry,
  processIds,
} from './process-table.ts'
import { addressOf, isOwnGroup, isSame, livingMembers } from './run-group.ts'
import { activityOf } from './run-tree.ts'
import { type End, startAgent } from './start-agent.ts'

export interface LocalAgentsOptions {
  readonly launcher?: Launcher | undefined
  /** Called before each start of an agent. */
  readonly onStart?: () => void
}

/**
 * The agents of this machine, as the process table and the files of their attempts show them. The launcher starts them
 * while it is alive; otherwise this process does.
 */
export function localAgents({ launcher, onStart }: LocalAgentsOptions = {}): Agents {
  bootId() // without a process table it fails here, not at the first run
  /** Exit codes of recent runs, for a wrapper that could not write its exit file, as on a full disk. */
  const seenExits = new Map<string, number>()
  /** Valid only while `ended` is being called. */
  const fresh = new Map<string, { exit: number | undefined; leftNothing: boolean }>()
  /** Runs whose leader ended before others of its group: the group stays theirs until it is empty. */
  const orphaned = new Set<string>()
  const groupAlive = (run: RunPlace): boolean => {
    if (fresh.get(run.run)?.leftNothing === true) return false
    const alive = isOwnGroup(run, orphaned.has(run.run))
    if (!alive) orphaned.delete(run.run)
    return alive
  }

  return {
    async start(order, ended) {
      onStart?.()
      const told = ({ code, left }: End): void => {
        // The wrapper exits with the code that it records, except for the codes that mean it could not start the agent.
        const exit = code !== null && code < CANNOT ? code : exitNow(order.folder)
        fresh.set(order.run, { exit, leftNothing: left === 'nothing' })
        if (left === 'group') orphaned.add(order.run)
        if (code !== null) seenExits.set(order.run, code)
        if (seenExits.size > REMEMBERED) seenExits.delete(seenExits.keys().next().value as string)
        ended()
        fresh.delete(order.run)
      }
      return launcher?.alive === true ? await launcher.start(order, told) : startAgent(order, told)
    },
    look: (run) => look(run, seenExits.get(run.run)),
    exitOf: ({ run, folder }) => fresh.get(run)?.exit ?? recordedExit(folder) ?? seenExits.get(run),
    forbidStart: (run) => takeStart(run.folder) || isTorn(run),
    signal(run, signal) {
      if (run.proc !== null && groupAlive(run)) send(addressOf(run.proc), signal)
    },
    bootId,
    ageOf: (proc) => (isThisBoot(proc.bootId) ? ageMs(proc.startTime) : undefined),
    activity: activityOf,
    groupAlive,
    leftNothing: ({ run }) => fresh.get(run)?.leftNothing === true,
    sweep,
    kill(found, signal = 'SIGKILL') {
      const entry = processEntry(found.pid)
      if (entry?.alive !== true || entry.startTime !== found.startTime) return false
      send(found.pid, signal)
      return true
    },
  }
}

/** From here on: codes of the wrapper itself, and of a shell that cannot run a program. */
const CANNOT = 125

const REMEMBERED = 1000

/** Never throws: its caller is an event handler. */
function exitNow(folder: string): number | undefined {
  try {
    return recordedExit(folder)
  } catch {
    return undefined
  }
}

function look(run: RunPlace, seenExit: number | undefined): Sighting {
  const { proc } = run
  const boot = proc?.bootId ?? run.boot
  const rebooted = boot !== undefined && !isThisBoot(boot)
  if (proc !== null && !rebooted) {
    if (isSame(proc)) return { kind: 'alive', proc, pids: [proc.pid] }
    const members = livingMembers(run)
    if (members.length > 0) return { kind: 'alive', proc: null, pids: members }
  }
  // Pids of another container mean nothing here; a marker is proof.
  const found = boot !== undefined && !isThisKernel(boot) ? [] : (sweep().get(run.run) ?? [])
  if (found.length > 0) return { kind: 'alive', proc: leaderOf(run, found), pids: found.map(({ pid }) => pid) }

  const record = startRecord(run.folder)
  if (record === 'forbidden' || (record === 'torn' && isTorn(run))) return { kind: 'never-started' }
  // Read last: an agent that ended during the sweep has written it by now.
  const code = recordedExit(run.folder) ?? seenExit
  if (code !== undefined) return { kind: 'gone', exit: { kind: 'code', code } }
  if (rebooted) return { kind: 'machine-lost' }
  // An agent can remove its own pid file; a recorded process proves the start as well.
  return record === 'none' && proc === null ? { kind: 'never-started' } : { kind: 'gone', exit: { kind: 'unknown' } }
}

/** The wrapper was killed just after it made the pid file. One that is still about to write to it carries the marker. */
function isTorn({ run, folder }: RunPlace): boolean {
  return startRecord(folder) === 'torn' && !sweep().has(run) && startRecord(folder) === 'torn'
}

/** The wrapper of a run whose process was not recorded in time. */
function leaderOf({ folder }: RunPlace, found: readonly Found[]): Proc | null {
  const leader = found.find(({ pid }) => {
    return processEntry(pid)?.session === pid && argumentsOf(pid).includes(exitFile(folder))
  })
  return leader === undefined ? null : { pid: leader.pid, startTime: leader.startTime, bootId: bootId() }
}

/** Repeats until it finds no new process: by forking all the time, a process could otherwise escape the pass. */
function sweep(): ReadonlyMap<string, readonly Found[]> {
  const runs = new Map<string, Found[]>()
  const seen = new Set([process.pid])
  for (let round = 0, before = 0; round < ROUNDS && seen.size > before; round++) {
    before = seen.size
    for (const pid of processIds()) {
      if (seen.has(pid)) continue
      seen.add(pid)
      const run = markerOf(pid)
      const entry = run === undefined ? undefined : processEntry(pid)
      if (run === undefined || entry?.alive !== true) continue
      const found = { pid, startTime: entry.startTime, command: argumentsOf(pid).join(' ').slice(0, 200) }
      const others = runs.get(run)
      if (others === undefined) runs.set(run, [found])
      else others.push(found)
    }
  }
  return runs
}

/** A busy machine starts new processes all the time, so the rounds are bounded. */
const ROUNDS = 5

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has just ended, or belongs to another user: the next look shows it.
  }
}
