import type { Activity, RunPlace } from '../../ports/agents.ts'
import { exitFile } from './exit-file.ts'
import type { Entries } from './family.ts'
import { type ProcessEntry, processEntry, processTable, TICK_MS } from './process-table.ts'
import { isSame, livingMembers } from './run-group.ts'

/**
 * The processor time and tools of an agent and its descendants, from the entries of one pass. Processes that it
 * left behind have the wrapper or init as parent and do not count as its work.
 */
export function activityOf(run: RunPlace, entries: Entries): Activity {
  const below = new Map<number, ProcessEntry[]>()
  for (const entry of entries.values()) {
    if (!entry.alive) continue
    const siblings = below.get(entry.parent)
    if (siblings === undefined) below.set(entry.parent, [entry])
    else siblings.push(entry)
  }
  const agent = agentOf(run, below)
  if (agent === undefined) return { cpuMs: 0, tools: 0 }
  const tree = [agent]
  // The list grows while it is walked. MOST bounds it: entries are not read at one instant, so a cycle is possible.
  for (const { pid } of tree) if (tree.length < MOST) tree.push(...(below.get(pid) ?? []))
  return {
    cpuMs: tree.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) * TICK_MS,
    tools: tree.filter(({ pid, session }) => pid === session && pid !== agent.pid).length,
  }
}

const MOST = 10_000

/** The oldest child of the wrapper, or the oldest member of the group if the wrapper is gone. */
function agentOf(run: RunPlace, below: ReadonlyMap<number, readonly ProcessEntry[]>): ProcessEntry | undefined {
  if (run.proc === null) return undefined
  if (!isSame(run.proc)) return eldest(livingMembers(run).flatMap((pid) => processEntry(pid) ?? []))
  // The program that makes a namespace may be around the wrapper; both have the exit file among their arguments.
  const isWrapper = ({ pid }: ProcessEntry) => processTable().mentions(pid, exitFile(run.folder))
  const child = eldest(below.get(run.proc.pid) ?? [])
  return child !== undefined && isWrapper(child) ? eldest(below.get(child.pid) ?? []) : child
}

function eldest(entries: readonly ProcessEntry[]): ProcessEntry | undefined {
  return [...entries].sort(
    (a, b) => Number(a.startTime.replace('@', '')) - Number(b.startTime.replace('@', '')) || a.pid - b.pid,
  )[0]
}

/** One pass over the process table. */
export function allEntries(): Entries {
  const entries = new Map<number, ProcessEntry>()
  for (const pid of processTable().ids()) {
    const entry = processEntry(pid)
    if (entry !== undefined) entries.set(pid, entry)
  }
  return entries
}
