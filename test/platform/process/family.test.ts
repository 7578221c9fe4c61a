import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, type Family, familyText, membersOf, parseFamily } from '../../../src/platform/process/family.ts'
import type { ProcessEntry } from '../../../src/platform/process/process-table.ts'

/** A small machine with few pids, so that they are used again soon. */
interface Process extends ProcessEntry {
  /** The run it really belongs to; '' for the user's. */
  readonly run: string
}

const PIDS = 40
const SUPERVISOR = 2
const exact = { outsiders: [SUPERVISOR], isSameStart: (a: string, b: string) => a === b }

class Machine {
  readonly table = new Map<number, Process>()
  #clock = 10
  #next = 10

  constructor() {
    for (const [pid, parent] of [
      [1, 0],
      [SUPERVISOR, 1],
      [3, 1],
    ] as const) {
      this.#put({ pid, parent, group: pid, session: pid, run: '' })
    }
  }

  /** The next free number: one that no process, group or session has. */
  fork(parent: Process, change: Partial<Process> = {}): Process | undefined {
    const used = new Set([...this.table.values()].flatMap(({ pid, group, session }) => [pid, group, session]))
    for (let n = 0; n < PIDS; n++) {
      const pid = 10 + ((this.#next++ - 10) % PIDS)
      if (used.has(pid)) continue
      const { startTime: _, ...like } = parent
      return this.#put({ ...like, parent: parent.pid, pid, ...change })
    }
    return undefined
  }

  /** A process that begins a session of its own, as the leader of a run. */
  launch(run: string): Process | undefined {
    const child = this.fork(this.at(SUPERVISOR), { run })
    return child && this.setsid(child)
  }

  setsid(process: Process): Process {
    if (process.group === process.pid) return process
    return this.#put({ ...process, session: process.pid, group: process.pid, startTime: process.startTime })
  }

  setpgid(process: Process): Process {
    if (process.session === process.pid) return process
    return this.#put({ ...process, group: process.pid, startTime: process.startTime })
  }

  exit(process: Process, { zombie }: { zombie: boolean }): void {
    const { pid } = process
    for (const child of [...this.table.values()]) {
      if (child.parent === pid) this.#put({ ...child, parent: 1, startTime: child.startTime })
    }
    if (zombie) this.#put({ ...process, alive: false, startTime: process.startTime })
    else this.table.delete(pid)
  }

  at(pid: number): Process {
    return this.table.get(pid) as Process
  }

  #put(given: Omit<Process, 'startTime' | 'alive' | 'cpuTicks'> & Partial<Process>): Process {
    const { startTime = String(this.#clock++), alive = true } = given
    const process: Process = { ...given, startTime, alive, cpuTicks: 0 }
    this.table.set(process.pid, process)
    return process
  }
}

const step = fc.record({
  do: fc.constantFrom('fork', 'fork', 'fork', 'exit', 'exit', 'zombie', 'setsid', 'setpgid', 'look', 'look', 'user'),
  which: fc.nat(1000),
})

test('a process that a look has seen is recognised as long as it lives, and none of another run or of the user is taken', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const machine = new Machine()
      const families = new Map<string, Family>()
      for (const run of ['a', 'b']) {
        const leader = machine.launch(run)
        if (leader !== undefined) families.set(run, new Map([[leader.pid, leader.startTime]]))
      }
      let seen = new Map<string, string>()
      for (const { do: what, which } of steps) {
        const others = [...machine.table.values()].filter(({ pid, alive }) => pid > 2 && alive)
        const one = others[which % others.length] as Process
        if (what === 'user') machine.fork(machine.at(3))
        if (what === 'fork') machine.fork(one)
        if (what === 'setsid') machine.setsid(one)
        if (what === 'setpgid') machine.setpgid(one)
        if ((what === 'exit' || what === 'zombie') && one.pid !== 3) machine.exit(one, { zombie: what === 'zombie' })
        if (what !== 'look') continue
        const owners = attribute(families, machine.table, exact)
        for (const [pid, run] of owners) expect(machine.at(pid).run).toBe(run)
        for (const [key, run] of seen) {
          const process = [...machine.table.values()].find((each) => `${each.pid} ${each.startTime}` === key)
          if (process !== undefined) expect(owners.get(process.pid)).toBe(run)
        }
        seen = new Map([...owners].map(([pid, run]) => [`${pid} ${machine.at(pid).startTime}`, run]))
        for (const run of families.keys()) families.set(run, membersOf(run, owners, machine.table))
      }
    }),
    { numRuns: 2000 },
  )
})

const entry = (pid: number, more: Partial<ProcessEntry> = {}): [number, ProcessEntry] => [
  pid,
  { pid, alive: true, parent: 1, group: pid, session: pid, startTime: String(pid), cpuTicks: 0, ...more },
]
const known = new Map([['a', new Map([[10, '10']])]])

test('children, their children, and all of a session or group belong to the run', () => {
  const table = new Map([
    entry(2),
    entry(10),
    entry(11, { parent: 10 }),
    entry(12, { parent: 11 }),
    entry(13, { session: 11, group: 13 }),
    entry(14, { parent: 1, group: 13, session: 11 }),
    entry(15),
  ])
  expect([...attribute(known, table, exact).keys()].sort()).toEqual([10, 11, 12, 13, 14])
})

test('a leader that has not begun its session yet does not bring in the session of its supervisor', () => {
  const table = new Map([entry(2), entry(3, { session: 2, group: 2 }), entry(10, { parent: 2, session: 2, group: 2 })])
  expect([...attribute(known, table, exact).keys()]).toEqual([10])
})

test('another process with the pid of a member, or with the number of its session, is not taken', () => {
  const table = new Map([entry(2), entry(10, { startTime: '99' }), entry(11, { parent: 10, session: 10 })])
  expect([...attribute(known, table, exact).keys()]).toEqual([])
})

test('a parent that is younger than its child has got the pid of another', () => {
  const table = new Map([entry(2), entry(10), entry(5, { parent: 10, startTime: '5' })])
  expect([...attribute(known, table, exact).keys()]).toEqual([10])
})

test('a family is read back from the ledger as it was written, and nothing else is', () => {
  const start = fc.oneof(
    fc.nat().map(String),
    fc.nat().map((second) => `@${second}`),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(4_194_304), start)), (members) => {
      const family = new Map(members)
      expect(parseFamily(familyText(family))).toEqual(family)
    }),
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      parseFamily(text)
    }),
  )
  expect(parseFamily('')).toEqual(new Map())
})
