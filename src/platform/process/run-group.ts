import type { Proc } from '../../domain/run/run.ts'
import type { RunPlace } from '../../ports/agents.ts'
import { isThisBoot, markerOf, type ProcessEntry, processEntry, processIds } from './process-table.ts'

/** Whether that very process still lives: a pid alone may be somebody else's by now. */
export function isSame(proc: Proc): boolean {
  const entry = processEntry(proc.pid)
  return entry?.alive === true && entry.startTime === proc.startTime && isThisBoot(proc.bootId)
}

/**
 * Whether its process group has anything alive, and still is this run's. The leader first: in its very first moment it has
 * no group of its own yet. `known`: whoever reaped the leader saw that others of its group were left.
 */
export function isOwnGroup(run: RunPlace, known = false): boolean {
  if (run.proc === null || !isThisBoot(run.proc.bootId)) return false
  return isSame(run.proc) || livingMembers(run, known).length > 0
}

/** The group, or in its first moment the leader that has not made it yet. */
export function addressOf({ pid }: Proc): number {
  return groupExists(pid) ? -pid : pid
}

/**
 * The kernel gives a pid to nobody while a group bears it. So where the leader's pid has another start time, the group
 * is another's; where the leader is a zombie, it is this run's; where there is no such pid, the marker of a member tells,
 * unless it is known.
 */
export function livingMembers(run: RunPlace, known = false): number[] {
  const { proc } = run
  if (proc === null || !isThisBoot(proc.bootId) || !groupExists(proc.pid)) return []
  const leader = processEntry(proc.pid)
  if (leader !== undefined && leader.startTime !== proc.startTime) return []
  const members = membersOf(proc.pid)
  const ours = known || leader !== undefined || members.some(({ pid }) => markerOf(pid) === run.run)
  return ours ? members.map(({ pid }) => pid) : []
}

function membersOf(group: number): ProcessEntry[] {
  return processIds().flatMap((pid) => {
    const entry = processEntry(pid)
    return entry?.alive === true && entry.group === group ? [entry] : []
  })
}

/** Zombies included, so only the answer no is final. */
export function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
