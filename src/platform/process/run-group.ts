import type { Proc } from '../../domain/run/run.ts'
import type { RunPlace } from '../../ports/agents.ts'
import { isSameStart, isThisBoot, type ProcessEntry, processEntry, processTable, tableOf } from './process-table.ts'

/** Whether that very process is alive: its pid may belong to another process by now. */
export function isSame(proc: Proc): boolean {
  if (!isThisBoot(proc.bootId)) return false
  const entry = tableOf(proc.startTime).entry(proc.pid)
  return entry?.alive === true && isSameStart(entry.startTime, proc.startTime)
}

/**
 * Whether the run's process group is still its own and has a living member. Checks the leader first: just after its start
 * it has no group yet. `known`: when the leader was reaped, other members of its group were alive.
 */
export function isOwnGroup(run: RunPlace, known = false): boolean {
  if (run.proc === null || !isThisBoot(run.proc.bootId)) return false
  return isSame(run.proc) || livingMembers(run, known).length > 0
}

/** The address for a signal: the group, or the leader alone while it has not made its group yet. */
export function addressOf({ pid }: Proc): number {
  return groupExists(pid) ? -pid : pid
}

/**
 * The kernel does not reuse a pid while a process group has that number. So if the leader's pid has another start time,
 * the group belongs to another process. If the leader is a zombie, the group is this run's. If there is no such pid, the
 * marker of a member decides, unless `known` says so already. Members that this user may not signal do not count: nothing
 * here can end them.
 */
export function livingMembers(run: RunPlace, known = false): number[] {
  const { proc } = run
  if (proc === null || !isThisBoot(proc.bootId) || !groupExists(proc.pid)) return []
  const leader = tableOf(proc.startTime).entry(proc.pid)
  if (leader !== undefined && !isSameStart(leader.startTime, proc.startTime)) return []
  const members = membersOf(proc.pid)
  const ours = known || leader !== undefined || members.some(({ pid }) => processTable().marker(pid) === run.run)
  return ours ? members.map(({ pid }) => pid) : []
}

function membersOf(group: number): ProcessEntry[] {
  return processTable()
    .ids()
    .flatMap((pid) => {
      const entry = processEntry(pid)
      return entry?.alive === true && entry.group === group && mayBeSignalled(pid) ? [entry] : []
    })
}

/** Counts zombies too, so only `false` is certain. */
export function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** False for a process of another user, as one that an agent started with sudo. */
export function mayBeSignalled(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM'
  }
}
