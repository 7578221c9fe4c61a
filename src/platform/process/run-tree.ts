import { basename } from 'node:path'
import type { MemoryUse } from '../../domain/run/diagnosis/memory.ts'
import type { Activity, RunPlace } from '../../ports/agents.ts'
import { connectionsOf } from './connections.ts'
import { exitFile } from './exit-file.ts'
import type { Entries } from './family.ts'
import { inputWait } from './input-wait.ts'
import { residentBytes } from './memory.ts'
import { descriptorLook } from './open-files.ts'
import { type ProcessEntry, processEntry, processTable, TICK_MS } from './process-table.ts'
import { isSame, livingMembers } from './run-group.ts'

/**
 * The activity of an agent and its descendants, from the entries of one pass. Processes that it left behind have the wrapper
 * or init as parent and do not count as its work.
 */
export function activityOf(run: RunPlace, entries: Entries): Omit<Activity, 'ageMs'> {
  const below = childrenIn(entries)
  const agent = agentOf(run, below)
  if (agent === undefined) return { cpuMs: 0, tools: 0, processes: [] }
  const tree = treeOf(agent, below)
  const shown = tree.slice(0, SHOWN).map((entry) => ({ ...entry, name: nameOf(entry) }))
  const hasOwnSession = ({ session }: ProcessEntry): boolean => session !== agent.session
  const ofAgent = shown.filter((entry) => !hasOwnSession(entry)).map(({ pid }) => pid)
  const descriptorsOf = processTable().kind === 'proc' ? descriptorLook() : undefined
  const connections = descriptorsOf && connectionsOf(ofAgent, descriptorsOf)
  const waits = descriptorsOf && inputWait(shown, descriptorsOf)
  return {
    cpuMs: tree.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) * TICK_MS,
    tools: tree.filter(({ pid, session }) => pid === session && pid !== agent.pid).length,
    processes: shown.map((entry) => ({
      pid: entry.pid,
      name: entry.name,
      cpuMs: entry.cpuTicks * TICK_MS,
      isTool: hasOwnSession(entry),
    })),
    ...(waits && { waits }),
    ...(connections !== undefined && { connections }),
  }
}

/** The memory of its leader and of everything below: also what its tools have left there. */
export function memoryOf({ proc }: RunPlace, entries: Entries): readonly MemoryUse[] {
  const leader = entries.get(proc?.pid ?? 0)
  if (leader === undefined || leader.startTime !== proc?.startTime) return []
  const tree = treeOf(leader, childrenIn(entries))
  const resident = residentBytes(tree.map(({ pid }) => pid))
  return tree.map((entry) => ({ pid: entry.pid, bytes: resident.get(entry.pid) ?? 0, command: nameOf(entry) }))
}

/** Of a crowd the first ones are enough to say what it does. */
const SHOWN = 64

/** The name of its program: the rest of its command line may be long, and may hold secrets. */
function nameOf({ pid }: ProcessEntry): string {
  const [program = ''] = processTable().command(pid).split(' ', 1)
  return basename(program).slice(0, 40) || 'a process'
}

/**
 * The processes of a run that have no living agent above them: a command of a tool started them, and has ended. `known`:
 * processes of the run that ancestry may not show any more.
 */
export function leftBehind(run: RunPlace, entries: Entries, known: readonly number[]): readonly ProcessEntry[] {
  const below = childrenIn(entries)
  const agent = agentOf(run, below)
  const leader = entries.get(run.proc?.pid ?? 0)
  if (agent === undefined || leader === undefined) return []
  const working = new Set(treeOf(agent, below).map(({ pid }) => pid))
  const wrappers = [leader.pid, agent.parent]
  const all = [...treeOf(leader, below), ...known.flatMap((pid) => entries.get(pid) ?? [])]
  return all.filter(({ pid, alive }) => alive && !working.has(pid) && !wrappers.includes(pid))
}

type Children = ReadonlyMap<number, readonly ProcessEntry[]>

function childrenIn(entries: Entries): Children {
  const below = new Map<number, ProcessEntry[]>()
  for (const entry of entries.values()) {
    if (!entry.alive) continue
    const siblings = below.get(entry.parent)
    if (siblings === undefined) below.set(entry.parent, [entry])
    else siblings.push(entry)
  }
  return below
}

function treeOf(top: ProcessEntry, below: Children): readonly ProcessEntry[] {
  const tree = [top]
  // The list grows while it is walked. MOST bounds it: entries are not read at one instant, so a cycle is possible.
  for (const { pid } of tree) if (tree.length < MOST) tree.push(...(below.get(pid) ?? []))
  return tree
}

const MOST = 10_000

/** The oldest child of the wrapper, or the oldest member of the group if the wrapper is gone. */
function agentOf(run: RunPlace, below: Children): ProcessEntry | undefined {
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
