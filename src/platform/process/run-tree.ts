import type { Activity, RunPlace } from '../../ports/agents.ts'
import { exitFile } from './exit-file.ts'
import { argumentsOf, type ProcessEntry, processEntry, processIds, TICK_MS } from './process-table.ts'
import { isSame, livingMembers } from './run-group.ts'

/**
 * What an agent and all below it do: one pass over the process table. What it left to run by itself has the wrapper for
 * a parent, or nobody, and is not its work.
 */
export function activityOf(run: RunPlace): Activity {
  const below = new Map<number, ProcessEntry[]>()
  for (const pid of processIds()) {
    const entry = processEntry(pid)
    if (entry?.alive !== true) continue
    const siblings = below.get(entry.parent)
    if (siblings === undefined) below.set(entry.parent, [entry])
    else siblings.push(entry)
  }
  const agent = agentOf(run, below)
  if (agent === undefined) return { cpuMs: 0, tools: 0 }
  const tree = [agent]
  // It grows while it is walked. Nobody is below itself, but entries are read one after the other.
  for (const { pid } of tree) if (tree.length < MOST) tree.push(...(below.get(pid) ?? []))
  return {
    cpuMs: tree.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0) * TICK_MS,
    tools: tree.filter(({ pid, session }) => pid === session && pid !== agent.pid).length,
  }
}

const MOST = 10_000

/** The eldest below the wrapper, or of its group where the wrapper is gone. */
function agentOf(run: RunPlace, below: ReadonlyMap<number, readonly ProcessEntry[]>): ProcessEntry | undefined {
  if (run.proc === null) return undefined
  if (!isSame(run.proc)) return eldest(livingMembers(run).flatMap((pid) => processEntry(pid) ?? []))
  // Around the wrapper there may be the program that made its namespace: both are told their exit file.
  const isWrapper = ({ pid }: ProcessEntry) => argumentsOf(pid).includes(exitFile(run.folder))
  const child = eldest(below.get(run.proc.pid) ?? [])
  return child !== undefined && isWrapper(child) ? eldest(below.get(child.pid) ?? []) : child
}

function eldest(entries: readonly ProcessEntry[]): ProcessEntry | undefined {
  return [...entries].sort((a, b) => Number(a.startTime) - Number(b.startTime) || a.pid - b.pid)[0]
}
