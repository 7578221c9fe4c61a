import type { Proc } from '../../domain/run/run.ts'
import type { Agents, Found, RunPlace, Sighting } from '../../ports/agents.ts'
import {
  type ExitKeys,
  exitFile,
  exitRecord,
  exitWrittenAt,
  recordedExit,
  startRecord,
  takeStart,
} from './exit-file.ts'
import { Families } from './families.ts'
import type { Entries } from './family.ts'
import type { Launcher } from './launcher.ts'
import {
  ageMs,
  bootId,
  isSameStart,
  isThisBoot,
  isThisKernel,
  processEntry,
  processTable,
  tableOf,
} from './process-table.ts'
import { addressOf, isOwnGroup, isSame, livingMembers, mayBeSignalled } from './run-group.ts'
import { activityOf, allEntries, leftBehind, memoryOf } from './run-tree.ts'
import { type End, startAgent } from './start-agent.ts'
import { WRAPPER } from './wrapper.ts'

export interface LocalAgentsOptions {
  readonly launcher?: Launcher | undefined
  /** Called before each start of an agent. */
  readonly onStart?: () => void
  /** The keys of a run's exit file. Without them every exit file is believed. */
  readonly keysOf?: (run: string) => ExitKeys
}

/**
 * The agents of this machine, as the process table and the files of their attempts show them. The launcher starts them
 * while it is alive; otherwise this process does.
 */
export function localAgents({ launcher, onStart, keysOf }: LocalAgentsOptions = {}): Agents {
  bootId() // without a process table it fails here, not at the first run
  /** Exit codes of recent runs as the kernel told them: an agent cannot forge these. */
  const seenExits = new Map<string, number>()
  /** Valid only while `ended` is being called. */
  const fresh = new Map<string, { exit: number | undefined; leftNothing: boolean }>()
  /** Runs whose leader ended before others of its group: the group stays theirs until it is empty. */
  const orphaned = new Set<string>()
  const families = new Families(launcher)
  let observedAt = Number.NEGATIVE_INFINITY
  /** The last pass for `activity`. */
  let pass: { readonly entries: Entries; readonly at: number } | undefined
  /** Nothing of such a run gets lost: its orphans become children of its leader, and then of the launcher. */
  const isKept = ({ pid }: Proc): boolean => launcher?.alive === true && launcher.leaders.has(pid)
  const observe = (maxAgeMs = SHARED_MS): void => {
    processTable().renew(maxAgeMs)
    families.observe(allEntries())
    observedAt = performance.now()
  }
  const sweep = (maxAgeMs = SHARED_MS): Marked => {
    const found = families.sweep(maxAgeMs)
    observedAt = performance.now()
    return found
  }
  const keysFor = ({ run, unkeyed }: Pick<RunPlace, 'run' | 'unkeyed'>): ExitKeys | undefined =>
    unkeyed === true ? undefined : keysOf?.(run)
  /** Never throws: its caller is an event handler. */
  const exitNow = (run: Pick<RunPlace, 'run' | 'folder'>): number | undefined => {
    try {
      return recordedExit(run.folder, keysFor(run))
    } catch {
      return undefined
    }
  }
  const groupAlive = (run: RunPlace): boolean => {
    if (fresh.get(run.run)?.leftNothing === true) return false
    const alive = isOwnGroup(run, orphaned.has(run.run))
    if (!alive) orphaned.delete(run.run)
    return alive
  }

  return {
    async start(order, ended) {
      onStart?.()
      let leader: number | undefined
      const keyed = { ...order, keys: keysOf?.(order.run) }
      const told = ({ code, left }: End): void => {
        // Of a wrapper that was killed only its file can tell, if it had written it.
        const exit = code ?? exitNow(order)
        fresh.set(order.run, { exit, leftNothing: left === 'nothing' })
        if (left === 'group') orphaned.add(order.run)
        if (left === 'group' && leader !== undefined) families.lostLeader(order.run, leader)
        if (left === 'nothing') families.forget(order.run)
        if (code !== null) seenExits.set(order.run, code)
        if (seenExits.size > REMEMBERED) seenExits.delete(seenExits.keys().next().value as string)
        ended()
        fresh.delete(order.run)
      }
      const proc = launcher?.alive === true ? await launcher.start(keyed, told) : startAgent(keyed, told)
      leader = proc.pid
      if (!order.namespace) families.know({ run: order.run, proc })
      return proc
    },
    look(run) {
      processTable().renew(SHARED_MS)
      families.know(run)
      const sighting = look(run, { sweep, seenExit: seenExits.get(run.run), keys: keysFor(run) })
      if (sighting.kind === 'alive') families.know({ run: run.run, proc: sighting.proc })
      return sighting
    },
    exitOf: (run) => fresh.get(run.run)?.exit ?? seenExits.get(run.run) ?? recordedExit(run.folder, keysFor(run)),
    exitRecord(run) {
      const seen = seenExits.get(run.run)
      const file = exitRecord(run.folder, keysFor(run))
      const differs = file.kind === 'code' && seen !== undefined && file.code !== seen
      const at = file.kind === 'code' ? exitWrittenAt(run.folder) : undefined
      return { witnessed: seen !== undefined, altered: file.kind === 'foreign' || differs, at }
    },
    hasBegun: (run) => startRecord(run.folder) !== 'none' || recordedExit(run.folder, keysFor(run)) !== undefined,
    forbidStart: (run) => takeStart(run.folder) || isTorn(run, sweep),
    signal(run, signal) {
      if (run.proc === null || !groupAlive(run)) return
      // Once the parents have gone, ancestry shows no longer who belongs to the run.
      if (!isKept(run.proc) && performance.now() - observedAt > FRESH_MS) quietly(() => observe(FRESH_MS))
      send(addressOf(run.proc), signal)
    },
    bootId,
    ageOf: (proc) => (isThisBoot(proc.bootId) ? ageMs(proc.startTime) : undefined),
    activity(run) {
      // In an outage all agents fall silent together.
      if (pass === undefined || performance.now() - pass.at > SHARED_MS) {
        processTable().renew(SHARED_MS)
        const at = performance.now() - processTable().ageMs()
        pass = { entries: allEntries(), at }
        families.observe(pass.entries)
      }
      return { ageMs: performance.now() - pass.at, ...activityOf(run, pass.entries) }
    },
    memory(runs) {
      processTable().renew(SHARED_MS)
      const entries = allEntries()
      return new Map(runs.map((run) => [run.run, memoryOf(run, entries)]))
    },
    leftBehind(runs) {
      // A process that loses its parent stays below such a leader.
      const areBelow = runs.every(({ proc }) => proc !== null && isKept(proc))
      const marked = areBelow ? undefined : sweep()
      const entries = allEntries()
      const ages = runs.flatMap((run) => {
        const known = marked?.get(run.run)?.map(({ pid }) => pid) ?? []
        const found = leftBehind(run, entries, known).map(({ startTime }) => ageMs(startTime))
        return found.length === 0 ? [] : [[run.run, Math.min(...found)] as const]
      })
      return new Map(ages)
    },
    observe(runs) {
      const loose = runs.filter(({ proc }) => proc !== null && !isKept(proc))
      if (loose.length > 0) observe()
      return families.takeChanged(loose.map(({ run }) => run))
    },
    groupAlive,
    leftNothing: ({ run }) => fresh.get(run)?.leftNothing === true,
    sweep,
    endOrphans() {
      const until = performance.now() + CHASE_MS
      const isAlive = (pid: number): boolean => processEntry(pid)?.alive === true && mayBeSignalled(pid)
      for (;;) {
        const alive = families.orphans()?.filter(isAlive) ?? []
        for (const pid of alive) send(pid, 'SIGKILL')
        if (alive.length === 0 || performance.now() > until) return
      }
    },
    kill(found, signal = 'SIGKILL') {
      const entry = tableOf(found.startTime).entry(found.pid)
      if (entry?.alive !== true || !isSameStart(entry.startTime, found.startTime)) return false
      send(found.pid, signal)
      return true
    },
  }
}

type Marked = ReadonlyMap<string, readonly Found[]>

/** One snapshot of `ps` serves all questions within it. */
const SHARED_MS = 200

/** Before a signal: what began since the look may get away. Signals to many runs at once still share a look. */
const FRESH_MS = 25

/** The wrapper's own: it could not start the agent, or was not allowed to. */
const NOT_STARTED = 125

const REMEMBERED = 1000

/** Processes that fork faster than this on all processors are left to the next sweep. */
const CHASE_MS = 100

/** A look that fails must not keep a signal from being sent. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // The next sweep meets the same trouble, and says so.
  }
}

interface Means {
  sweep(maxAgeMs?: number): Marked
  readonly seenExit: number | undefined
  readonly keys: ExitKeys | undefined
}

/**
 * The launcher of a killed supervisor carries out the orders that it was sent: a wrapper may have written its pid file after
 * a pass that shows nothing of it. A pass after that decides.
 */
function look(run: RunPlace, means: Means): Sighting {
  const first = lookOnce(run, means)
  const mayHaveBegun = run.proc === null && first.kind === 'gone' && first.exit.kind === 'unknown'
  return mayHaveBegun ? lookOnce(run, { ...means, sweep: () => means.sweep(0) }) : first
}

function lookOnce(run: RunPlace, { sweep, seenExit, keys }: Means): Sighting {
  const { proc } = run
  const boot = proc?.bootId ?? run.boot
  const rebooted = boot !== undefined && !isThisBoot(boot)
  if (proc !== null && !rebooted) {
    if (isSame(proc)) return { kind: 'alive', proc, pids: [proc.pid] }
    const members = livingMembers(run)
    if (members.length > 0) return { kind: 'alive', proc: null, pids: members }
  }
  // Pids of another container mean nothing here; a marker is proof.
  const found = boot !== undefined && !isThisKernel(boot) ? [] : foundNow(run, sweep)
  if (found.length > 0) {
    const pids = found.map(({ pid }) => pid)
    return { kind: 'alive', proc: leaderAmong(run, pids) ?? null, pids }
  }
  // Its environment may be hidden from us.
  const leader = proc === null && !rebooted ? leaderAmong(run, processTable().ids()) : undefined
  if (leader !== undefined) return { kind: 'alive', proc: leader, pids: [leader.pid] }

  const record = startRecord(run.folder)
  // A process in the ledger proves the start: an agent can write to its pid file.
  const isUnstarted = proc === null || seenExit === NOT_STARTED
  if (isUnstarted && (record === 'forbidden' || (record === 'torn' && isTorn(run, sweep)))) {
    return { kind: 'never-started' }
  }
  // Read last: an agent that ended during the sweep has written it by now.
  const code = seenExit ?? recordedExit(run.folder, keys)
  if (code !== undefined) return { kind: 'gone', exit: { kind: 'code', code } }
  if (rebooted) return { kind: 'machine-lost' }
  return record === 'none' && proc === null ? { kind: 'never-started' } : { kind: 'gone', exit: { kind: 'unknown' } }
}

/** The wrapper was killed just after it made the pid file. One that is still about to write to it is in a new look. */
function isTorn(run: RunPlace, sweep: Means['sweep']): boolean {
  const isThere = (): boolean => sweep(0).has(run.run) || leaderAmong(run, processTable().ids()) !== undefined
  return startRecord(run.folder) === 'torn' && !isThere() && startRecord(run.folder) === 'torn'
}

/** The wrapper of a run whose process was not recorded in time. */
function leaderAmong({ folder }: RunPlace, pids: readonly number[]): Proc | undefined {
  const table = processTable()
  for (const pid of pids) {
    if (!table.mentions(pid, exitFile(folder)) || !table.mentions(pid, WRAPPER)) continue
    const entry = processEntry(pid)
    if (entry?.alive === true && entry.session === pid) return { pid, startTime: entry.startTime, bootId: bootId() }
  }
  return undefined
}

/** If all that a shared look shows have ended since, a new look says whether others took their place. */
function foundNow({ run }: RunPlace, sweep: Means['sweep']): readonly Found[] {
  const found = withinReach(sweep().get(run))
  const isThere = ({ pid }: Found): boolean => processEntry(pid)?.alive === true
  return found.length === 0 || found.some(isThere) ? found : withinReach(sweep(0).get(run))
}

function withinReach(found: readonly Found[] = []): readonly Found[] {
  return found.filter(({ reach }) => reach !== 'none')
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has just ended, or belongs to another user: the next look shows it.
  }
}
