import type { ProcessEntry } from './process-table.ts'

/**
 * The processes of a run as far as looks at the process table have shown them: start times by pid. Enough to recognise them
 * later without their marker: an agent can start a process without its environment, and `ps` may not show it.
 */
export type Family = ReadonlyMap<number, string>

export type Entries = ReadonlyMap<number, ProcessEntry>

export interface Surroundings {
  /** Processes that belong to no run, whatever their parents are: the supervisor and its launcher. */
  readonly outsiders: readonly number[]
  /** Runs by the number of their group, if it was seen to have members when its leader was reaped, and has had since. */
  readonly groups?: ReadonlyMap<number, string>
  isSameStart(a: string, b: string): boolean
}

/**
 * Says which run each process belongs to, as far as ancestry shows it. A process belongs to a run if
 *
 * - an earlier look saw it there, and it is the same process;
 * - or it shares its session or group with one that does: the leader of a run began a session of its own, and only a fork
 *   gets a process into an existing one. The kernel does not give the number of a session or group to a new process while
 *   it has members, so the number is proof while one known member is in the table, even as a zombie;
 * - or its parent does.
 *
 * It claims no process on anything weaker, so that it never ends one of another run or of the user.
 */
export function attribute(
  families: ReadonlyMap<string, Family>,
  entries: Entries,
  { outsiders, groups = new Map(), isSameStart }: Surroundings,
): Map<number, string> {
  const owners = new Map<number, string>()
  const numbers = new Map<number, string>()
  const foreign = new Set<number>([0])
  for (const pid of outsiders) {
    const entry = entries.get(pid)
    if (entry !== undefined) foreign.add(entry.session).add(entry.group)
  }
  const mates = matesOf(entries)
  const queue: ProcessEntry[] = []
  const claim = (entry: ProcessEntry, run: string): void => {
    if (owners.has(entry.pid) || outsiders.includes(entry.pid)) return
    owners.set(entry.pid, run)
    queue.push(entry)
  }
  for (const [run, family] of families) {
    for (const [pid, startTime] of family) {
      const entry = entries.get(pid)
      if (entry !== undefined && isSameStart(entry.startTime, startTime)) claim(entry, run)
    }
  }
  for (const [number, run] of groups) for (const mate of mates.numbers.get(number) ?? []) claim(mate, run)
  // The queue grows while it is walked.
  for (const entry of queue) {
    const run = owners.get(entry.pid) as string
    for (const child of mates.children.get(entry.pid) ?? []) {
      // Entries are not read at one instant: a parent that is younger than its child has got the pid of the real one.
      if (!isYounger(entry.startTime, child.startTime)) claim(child, run)
    }
    for (const number of [entry.session, entry.group]) {
      if (foreign.has(number) || numbers.has(number)) continue
      numbers.set(number, run)
      for (const mate of mates.numbers.get(number) ?? []) claim(mate, run)
    }
  }
  return owners
}

interface Mates {
  readonly children: ReadonlyMap<number, readonly ProcessEntry[]>
  readonly numbers: ReadonlyMap<number, readonly ProcessEntry[]>
}

function matesOf(entries: Entries): Mates {
  const children = new Map<number, ProcessEntry[]>()
  const numbers = new Map<number, ProcessEntry[]>()
  const add = (to: Map<number, ProcessEntry[]>, number: number, entry: ProcessEntry): void => {
    const list = to.get(number)
    if (list === undefined) to.set(number, [entry])
    else list.push(entry)
  }
  for (const entry of entries.values()) {
    add(children, entry.parent, entry)
    add(numbers, entry.session, entry)
    if (entry.group !== entry.session) add(numbers, entry.group, entry)
  }
  return { children, numbers }
}

/** Whether the process with start time `a` began after that with `b`, as far as their resolution shows. */
function isYounger(a: string, b: string): boolean {
  const [from, to] = [a, b].map((each) => Number(each.replace('@', ''))) as [number, number]
  return from > to + (a.startsWith('@') ? 2 : 0)
}

/** The next state of a family: those of its processes that are still in the table, and the new ones. */
export function membersOf(run: string, owners: ReadonlyMap<number, string>, entries: Entries): Family {
  const members = new Map<number, string>()
  for (const [pid, owner] of owners) {
    const entry = entries.get(pid)
    if (owner === run && entry !== undefined) members.set(pid, entry.startTime)
  }
  return members
}

/** As text for the ledger. */
export function familyText(family: Family): string {
  return [...family].map(([pid, startTime]) => `${pid} ${startTime}`).join(',')
}

/** Leaves out what it cannot read. */
export function parseFamily(text: string): Family {
  const members = new Map<number, string>()
  for (const each of text.split(',')) {
    const [, pid, startTime] = /^(\d{1,10}) (@?\d{1,20})$/.exec(each) ?? []
    if (pid !== undefined && startTime !== undefined) members.set(Number(pid), startTime)
  }
  return members
}
