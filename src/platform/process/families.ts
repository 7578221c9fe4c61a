import type { Proc } from '../../domain/run/run.ts'
import type { Found, RunPlace } from '../../ports/agents.ts'
import { attribute, type Entries, type Family, familyText, membersOf, parseFamily } from './family.ts'
import type { Launcher } from './launcher.ts'
import { ageMs, isSameStart, isThisBoot, type ProcessEntry, processTable, tableOf } from './process-table.ts'
import { isSame, mayBeSignalled } from './run-group.ts'
import { Unmarked } from './unmarked.ts'

/** The key of processes that ended runs left to the launcher; which of them each belongs to is not known. */
const LEFT = ''

/** A busy machine starts new processes all the time, so the rounds are bounded. */
const ROUNDS = 5
/** A snapshot of `ps` is not of one instant: one that shows nothing of a run is confirmed by so many more. */
const CONFIRMED_BY = 2

/** The processes of every run that this supervisor follows, by all looks at the process table so far. */
export class Families {
  readonly #launcher: Launcher | undefined
  readonly #families = new Map<string, Family>()
  /** Runs by the number of their group, whose leader has ended and others of the group have not. */
  readonly #groups = new Map<number, string>()
  /** Those that the ledger does not have in their present form. */
  readonly #changed = new Set<string>()
  readonly #unmarked = new Unmarked()

  constructor(launcher: Launcher | undefined) {
    this.#launcher = launcher
  }

  /** Adds the leader of a run, and its processes that an earlier supervisor saw. */
  know({ run, proc, family }: Pick<RunPlace, 'run' | 'family'> & { readonly proc: Proc | null }): void {
    if (proc === null || !isThisBoot(proc.bootId)) return
    const known = this.#families.get(run)
    if (known?.get(proc.pid) === proc.startTime && family === undefined) return
    const recorded = family === undefined ? [] : parseFamily(family)
    this.#families.set(run, new Map([...recorded, ...(known ?? []), [proc.pid, startTimeNow(proc)]]))
  }

  /** Others of its group were there when its leader was reaped: the number stays theirs until the group is empty. */
  lostLeader(run: string, leader: number): void {
    this.#groups.set(leader, run)
  }

  forget(run: string): void {
    this.#families.delete(run)
    this.#changed.delete(run)
  }

  /** Those of these families that have changed since the last call, for the ledger. */
  takeChanged(runs: readonly string[]): ReadonlyMap<string, string> {
    const changed = runs.filter((run) => this.#changed.has(run))
    this.#changed.clear()
    return new Map(changed.map((run) => [run, familyText(this.#families.get(run) ?? new Map())]))
  }

  /** Learns from a pass that was made for another reason. */
  observe(entries: Entries): ReadonlyMap<number, string> {
    this.#dropEmptyGroups(entries)
    const surroundings = { outsiders: this.#outsiders(), groups: this.#groups, isSameStart }
    const owners = attribute(this.#families, entries, surroundings)
    this.#learn(owners, entries)
    return owners
  }

  /**
   * One pass: the living processes of all runs. Ancestry decides first and then the marker, so that a forged one is without
   * effect. Processes that others forked meanwhile are looked for again, a few times. `maxAgeMs`: see ProcessTable.
   */
  sweep(maxAgeMs: number): Map<string, Found[]> {
    processTable().renew(maxAgeMs)
    let found = this.#pass()
    for (let round = 0; round < CONFIRMED_BY && this.#isOneMissing(found); round++) {
      processTable().renew(0)
      found = this.#pass()
    }
    for (const run of this.#families.keys()) if (!found.has(run)) this.#families.delete(run)
    return found
  }

  /** Pids of all that ended runs have left, without a pass; undefined: only a pass can tell. */
  orphans(): readonly number[] | undefined {
    // Runs whose leader has ended and whose group lives on keep what loses its parent there.
    return this.#groups.size > 0 ? undefined : this.#launcher?.orphans()
  }

  /** Whether `ps` does not show anything of a run, which may have been replaced by a child while `ps` was looking. */
  #isOneMissing(found: ReadonlyMap<string, unknown>): boolean {
    return processTable().kind === 'ps' && [...this.#families.keys()].some((run) => !found.has(run))
  }

  #pass(): Map<string, Found[]> {
    const table = processTable()
    const now = performance.now()
    const entries = new Map<number, ProcessEntry>()
    const markers = new Map<number, string>()
    let kin: ReadonlyMap<number, string> = new Map()
    for (let round = 0; round < ROUNDS; round++) {
      const fresh: ProcessEntry[] = []
      for (const pid of table.ids()) {
        const entry = entries.has(pid) ? undefined : table.seen(pid)
        if (entry !== undefined) fresh.push(entry)
      }
      if (fresh.length === 0) break
      for (const entry of fresh) entries.set(entry.pid, entry)
      kin = this.observe(entries)
      for (const each of fresh.filter((entry) => !kin.has(entry.pid) && !isOfKernel(entry))) {
        const { pid, alive } = each
        const run = alive && pid !== process.pid ? this.#unmarked.markerOf(each, now) : undefined
        // An empty one names no run, and must not be taken for what ended runs have left.
        if (run !== undefined && run !== LEFT) markers.set(pid, run)
      }
      // A snapshot does not change.
      if (table.kind === 'ps') break
    }
    this.#unmarked.forgetOthers()
    const { left, unsure } = this.#left(entries, kin, markers)
    return this.#found(new Map([...markers, ...left, ...kin]), { entries, markers, unsure })
  }

  #dropEmptyGroups(entries: Entries): void {
    if (this.#groups.size === 0) return
    const numbers = new Set([...entries.values()].flatMap(({ group, session }) => [group, session]))
    for (const number of this.#groups.keys()) if (!numbers.has(number)) this.#groups.delete(number)
  }

  #learn(owners: ReadonlyMap<number, string>, entries: Entries): void {
    for (const [run, before] of this.#families) {
      const members = membersOf(run, owners, entries)
      if (isEqual(before, members)) continue
      this.#families.set(run, members)
      this.#changed.add(run)
    }
  }

  /**
   * Children of the launcher that lead no run, and what is below them. The leader of a living run keeps all that lose their
   * parent (PR_SET_CHILD_SUBREAPER), so they come from runs whose leader has ended, whatever their marker says.
   *
   * `unsure`: those among them that may be a run that is just being started. Its leader shows no marker before its exec.
   */
  #left(
    entries: Entries,
    kin: ReadonlyMap<number, string>,
    markers: ReadonlyMap<number, string>,
  ): { readonly left: ReadonlyMap<number, string>; readonly unsure: ReadonlySet<number> } {
    const launcher = this.#launcher
    const left = new Map<number, string>()
    const unsure = new Set<number>()
    if (launcher?.alive !== true) return { left, unsure }
    // Their agents live on without a leader, and so may what has lost its parent there.
    const leaderless = new Set(this.#groups.values())
    for (const { pid, parent, startTime } of entries.values()) {
      if (parent !== launcher.pid || kin.has(pid) || launcher.leaders.has(pid)) continue
      const named = markers.get(pid) ?? ''
      if (launcher.isInDoubt(named) || leaderless.has(named)) continue
      const tree = treeBelow(pid, entries, kin)
      for (const each of tree) left.set(each, LEFT)
      const isNamedBelow = tree.some((each) => launcher.isInDoubt(markers.get(each) ?? ''))
      if (isNamedBelow || this.#mayBeStarting(startTime)) for (const each of tree) unsure.add(each)
    }
    return { left, unsure }
  }

  #found(owners: ReadonlyMap<number, string>, { entries, markers, unsure }: Seen): Map<string, Found[]> {
    const runs = new Map<string, Found[]>()
    for (const [pid, run] of owners) {
      const { alive, startTime } = entries.get(pid) as ProcessEntry
      if (!alive) continue
      const command = processTable().command(pid).slice(0, 200)
      const reach = unsure.has(pid) ? 'unsure' : mayBeSignalled(pid) ? 'ours' : 'none'
      const marker = run === LEFT ? markers.get(pid) : undefined
      const found: Found = {
        pid,
        startTime,
        command,
        ...(reach !== 'ours' && { reach }),
        ...(marker !== undefined && { marker }),
      }
      const others = runs.get(run)
      if (others === undefined) runs.set(run, [found])
      else others.push(found)
    }
    return runs
  }

  /** The launcher may just have forked it to lead a run, and not said so yet. */
  #mayBeStarting(startTime: string): boolean {
    // In this order: on a busy machine time passes between the two, and must not make it look older than its order.
    const age = ageMs(startTime)
    const startingFor = this.#launcher?.startingForMs
    return startingFor !== undefined && age <= startingFor + TICKS_MS
  }

  #outsiders(): number[] {
    const launcher = this.#launcher?.pid
    return launcher === undefined ? [process.pid] : [process.pid, launcher]
  }
}

interface Seen {
  readonly entries: Entries
  readonly markers: ReadonlyMap<number, string>
  readonly unsure: ReadonlySet<number>
}

/** The process and all below it that belong to no run by ancestry. */
function treeBelow(root: number, entries: Entries, kin: ReadonlyMap<number, string>): readonly number[] {
  const tree = new Set([root])
  // The set grows while it is walked.
  for (const above of tree) {
    for (const { pid, parent } of entries.values()) if (parent === above && !kin.has(pid)) tree.add(pid)
  }
  return [...tree]
}

/** As the table in use has it, even if the other one was in use when it was recorded. */
function startTimeNow(proc: Proc): string {
  const isOfThis = tableOf(proc.startTime).kind === processTable().kind
  return isOfThis || !isSame(proc) ? proc.startTime : (processTable().entry(proc.pid)?.startTime ?? proc.startTime)
}

/** Two ticks of a start time. */
const TICKS_MS = 20

/** Kernel threads have no environment; on Linux 2 is the parent of them all. */
function isOfKernel({ pid, parent, group }: ProcessEntry): boolean {
  return group === 0 && (pid === 2 || parent === 2)
}

function isEqual(a: Family, b: Family): boolean {
  return a.size === b.size && [...a].every(([pid, startTime]) => b.get(pid) === startTime)
}
