import type { CurrentRun } from './current-run.ts'

/**
 * Whether a command runs inside a run of the home that it is about. An agent can change its own variables, so they are only
 * one of the signs: it cannot change the processes above it, nor what the ledger has of its run.
 */
export interface FenceFacts {
  /** The run that the command's own variables name, if it is of this home. */
  readonly own: CurrentRun | undefined
  /** From the command upwards. undefined: the process table cannot be read, or was tampered with. */
  readonly above: readonly Above[] | undefined
  /** The runs of this home that the ledger has as open, and those whose work lands. */
  readonly runs: readonly LiveRunFacts[]
  /** Something of another home above it, whose queue this home uses: a run, or the launcher. For people. */
  readonly sharesQueueOf: string | undefined
  /** The store is a second name of another home's: its records may be old ones. */
  readonly hasStoreOfOther: boolean
  /** The supervisor of this home and its launcher, as far as they are alive. */
  readonly supervisors: readonly Known[]
  /** Where the command runs, compared with the supervisor; undefined: unknown, or the same pid namespace. */
  readonly namespace: NamespaceFacts | undefined
}

/** One process: its pid alone is not an identity. */
export interface Known {
  readonly pid: number
  readonly startTime: string
}

/** The command itself, or a process above it. */
export interface Above extends Known {
  readonly session: number
  readonly group: number
  /** The run that its environment names, if it is of this home. */
  readonly marker: CurrentRun | undefined
  /** It starts the agents of this home. It says so itself, so this holds also if the records are not those of the home. */
  readonly isLauncher: boolean
}

interface LiveRunFacts extends CurrentRun {
  /** `lands`: its agent has gone; what it wrote is checked, and brought onto its target. */
  readonly doing: 'runs' | 'lands'
  /** Its leaders and what looks at the process table have shown of it, as far as these pids are not used anew. */
  readonly processes: readonly Known[]
}

/** A pid namespace other than the supervisor's. */
export interface NamespaceFacts {
  /** Its first process began after an agent that is still in the ledger. */
  readonly isYounger: boolean
  /** It has the root directory of the supervisor, as a container has not. */
  readonly hasSameRoot: boolean
  /** It is in another user namespace: the only kind that an ordinary user can make. */
  readonly hasOtherUsers: boolean
}

export type Enclosed =
  | { readonly kind: 'in-run'; readonly run: CurrentRun }
  /** In a run of this home, but which one is not known. */
  | { readonly kind: 'in-some-run'; readonly why: string }

/**
 * undefined: a person's command, or one of a run of another home. The strongest sign decides which run it is: the processes
 * that the ledger knows, then the outermost marker (an agent may put another marker below it), then its own variables.
 */
export function enclosingRun(facts: FenceFacts): Enclosed | undefined {
  const { own, above = [], runs, supervisors, namespace } = facts
  // Also what an agent may do would damage the store: SQLite keeps a log for each name.
  if (facts.hasStoreOfOther) {
    return someRun('its fleet.db is a hard link to the store of another home; a copy of the file is a store of its own')
  }
  const known = byProcess(above, runs) ?? above.findLast(({ marker }) => marker !== undefined)?.marker ?? own
  if (known !== undefined) return { kind: 'in-run', run: { run: known.run, task: known.task } }
  if (above.some((each) => each.isLauncher || supervisors.some((one) => isOne(each, one)))) {
    return someRun('it was started below the supervisor of this home')
  }
  const { sharesQueueOf } = facts
  if (sharesQueueOf !== undefined) return someRun(`this home has the queue of ${sharesQueueOf}, which called it`)
  if (runs.length === 0) return undefined
  if (facts.above === undefined) return someRun(`the process table does not show its parents${whileRunning(runs)}`)
  if (namespace?.isYounger === true && (namespace.hasSameRoot || namespace.hasOtherUsers)) {
    return someRun(`it is in a pid namespace that was made${whileRunning(runs)}`)
  }
  return undefined
}

/** A process of a run above it, or a session or group that such a process leads: only a fork gets another into these. */
function byProcess(above: readonly Above[], runs: readonly LiveRunFacts[]): CurrentRun | undefined {
  const owner = new Map(runs.flatMap((run) => run.processes.map((one) => [one.pid, { one, run }] as const)))
  for (const each of [...above].reverse()) {
    const found = owner.get(each.pid)
    if (found !== undefined && isOne(each, found.one)) return found.run
    const led = owner.get(each.session) ?? owner.get(each.group)
    if (led !== undefined && led.one.pid !== each.pid) return led.run
  }
  return undefined
}

function isOne(a: Known, b: Known): boolean {
  return a.pid === b.pid && a.startTime === b.startTime
}

function someRun(why: string): Enclosed {
  return { kind: 'in-some-run', why }
}

function whileRunning([first, ...others]: readonly LiveRunFacts[]): string {
  if (first === undefined) return ''
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  const { run, task, doing } = first
  return doing === 'lands' ? ` while the work of ${task}${more} lands` : ` while run ${run} of ${task}${more} is open`
}
