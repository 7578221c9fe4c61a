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

/**
 * The agents of this machine, as its process table and the files of their attempts show them. Started by the launcher as
 * long as it lives, otherwise by this process itself.
 */
export function localAgents({ launcher }: { launcher?: Launcher | undefined } = {}): Agents {
  bootId() // fails here, and not at the first run, where there is no process table
  /** Of the last ones: where a wrapper could not write, as on a full disk, its status still tells. */
  const seenExits = new Map<string, number>()
  /** As just told or read, for who asks next. */
  const fresh = new Map<string, { exit: number | undefined; leftNothing: boolean }>()
  /** Runs whose leader has gone while others of its group were left: that group stays theirs until it is empty. */
  const orphaned = new Set<string>()
  const groupAlive = (run: RunPlace): boolean => {
    if (fresh.get(run.run)?.leftNothing === true) return false
    const alive = isOwnGroup(run, orphaned.has(run.run))
    if (!alive) orphaned.delete(run.run)
    return alive
  }

  return {
    async start(order, ended) {
      const told = ({ code, left }: End): void => {
        // What the wrapper itself ends with is what it records, but for the codes by which it says that it could not.
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

/** The wrapper's own, and the shell's where a program cannot be run. */
const CANNOT = 125

const REMEMBERED = 1000

/** Called where nobody could catch. */
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
  // Pids of another container say nothing here; a marker that is seen says all.
  const found = boot !== undefined && !isThisKernel(boot) ? [] : (sweep().get(run.run) ?? [])
  if (found.length > 0) return { kind: 'alive', proc: leaderOf(run, found), pids: found.map(({ pid }) => pid) }

  const record = startRecord(run.folder)
  if (record === 'forbidden' || (record === 'torn' && isTorn(run))) return { kind: 'never-started' }
  // Only now: what ended while we looked has written it.
  const code = recordedExit(run.folder) ?? seenExit
  if (code !== undefined) return { kind: 'gone', exit: { kind: 'code', code } }
  if (rebooted) return { kind: 'machine-lost' }
  // An agent can remove its own pid file; that it had a process proves the start as well.
  return record === 'none' && proc === null ? { kind: 'never-started' } : { kind: 'gone', exit: { kind: 'unknown' } }
}

/** A wrapper that was ended in its very first moment. One that has only just made the file carries the marker. */
function isTorn({ run, folder }: RunPlace): boolean {
  return startRecord(folder) === 'torn' && !sweep().has(run) && startRecord(folder) === 'torn'
}

/** The wrapper of a run whose process nobody had time to write down. */
function leaderOf({ folder }: RunPlace, found: readonly Found[]): Proc | null {
  const leader = found.find(({ pid }) => {
    return processEntry(pid)?.session === pid && argumentsOf(pid).includes(exitFile(folder))
  })
  return leader === undefined ? null : { pid: leader.pid, startTime: leader.startTime, bootId: bootId() }
}

/** What is born during the pass is looked at too, or a process could flee from one pid to the next unseen. */
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

/** On a busy machine there is always somebody new. */
const ROUNDS = 5

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone in this moment, or not ours: the next look tells.
  }
}
