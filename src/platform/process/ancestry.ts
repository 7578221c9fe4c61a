import { readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import { AppError } from '../../errors.ts'
import { homeOfLauncher } from './launcher-title.ts'
import { isSameStart, type ProcessEntry, type ProcessTable } from './process-table.ts'
import { procTable } from './process-table-proc.ts'
import { psTable } from './process-table-ps.ts'

/**
 * The processes above this one, for a command that has to know whether an agent calls it. So nothing here is taken from
 * variables: neither FLEET_PROCESS_TABLE nor PATH, which an agent sets as it likes.
 */
export interface Ancestry {
  /** This process first. undefined: the process table cannot be read, or does not look like the kernel's. */
  readonly chain: readonly Ancestor[] | undefined
  readonly bootId: string
  /** When the process of this pid began; undefined: there is none. */
  startOf(pid: number): string | undefined
  /** Whether a start time of `startOf` is that of a record, which may have been made with the other table. */
  isSameStart(now: string, recorded: string): boolean
}

export interface Ancestor extends Pick<ProcessEntry, 'pid' | 'startTime' | 'session' | 'group'> {
  /** Those of NAMES that its environment has, as it was when its program began. */
  readonly variables: Readonly<Record<string, string>>
  /** The home whose agents it starts, if it is a launcher. */
  readonly startsAgentsOf: string | undefined
}

/** An agent can nest as many shells as it likes. A longer chain counts as one that cannot be read. */
const DEEPEST = 4096

export function ancestry(names: readonly string[], { mayAskPs }: { mayAskPs: boolean }): Ancestry {
  const self = selfInProc()
  if (self !== undefined) return ancestryIn(procTable, self, names)
  if (hasProc() || !mayAskPs) return UNREADABLE
  const table = psTable({ PATH: '/bin:/usr/bin:/sbin:/usr/sbin:/usr/local/bin' })
  try {
    table.ids() // one snapshot for all questions
    return ancestryIn(table, process.pid, names)
  } catch (error) {
    if (error instanceof AppError) return UNREADABLE
    throw error
  }
}

const UNREADABLE: Ancestry = { chain: undefined, bootId: '', startOf: () => undefined, isSameStart: () => false }

function ancestryIn(table: ProcessTable, self: number, names: readonly string[]): Ancestry {
  return {
    chain: chainOf(table, self, names),
    bootId: table.bootId(),
    startOf: (pid) => table.seen(pid)?.startTime,
    isSameStart: (now, recorded) => isSameStart(startLike(now, recorded), recorded),
  }
}

function chainOf(table: ProcessTable, self: number, names: readonly string[]): readonly Ancestor[] | undefined {
  const chain: Ancestor[] = []
  for (let pid = self; pid > 0; ) {
    const entry = table.seen(pid)
    if (entry === undefined) {
      const last = chain.at(-1)
      const parent = last === undefined ? undefined : table.seen(last.pid)?.parent
      if (parent === undefined) return undefined
      // hidepid hides the processes of other users. Otherwise it ended meanwhile, and its child has another parent now.
      if (parent === pid) return chain
      pid = parent
      continue
    }
    if (entry.pid !== pid || chain.length === DEEPEST) return undefined
    const { startTime, session, group, parent } = entry
    const startsAgentsOf = homeOfLauncher(table.command(pid))
    chain.push({ pid, startTime, session, group, variables: table.variables(pid, names), startsAgentsOf })
    pid = parent
  }
  return chain
}

/** This process as /proc has it: in a namespace without a /proc of its own, by its number outside. */
function selfInProc(): number | undefined {
  try {
    // The kernel's own: an agent can mount a folder of its own there, or one process's files over another's.
    if (statfsSync('/proc').type !== PROC_MAGIC) return undefined
    const self = Number(readlinkSync('/proc/self'))
    const device = statSync('/proc').dev
    if (!Number.isSafeInteger(self) || statSync(`/proc/${self}/stat`).dev !== device) return undefined
    return OVER_PROCESS.test(readFileSync('/proc/self/mountinfo', 'utf8')) ? undefined : self
  } catch {
    return undefined
  }
}

const PROC_MAGIC = 0x9fa0
const OVER_PROCESS = /^\S+ \S+ \S+ \S+ \/proc\/(?:\d|self|thread-self)/m

/** Whether this kind of machine has /proc, so that `ps` is no way around one that was hidden. */
function hasProc(): boolean {
  return process.platform === 'linux'
}

/** A start time in the other table's form, where a record was made with that one. */
function startLike(startTime: string, form: string): string {
  if (!form.startsWith('@') || startTime.startsWith('@')) return startTime
  const boot = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '0'
  return `@${Math.round(Number(boot) + Number(startTime) / 100)}`
}
