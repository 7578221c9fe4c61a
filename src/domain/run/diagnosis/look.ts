/** The processes of a silent agent at one moment, as the process table shows them. */
export interface Look {
  readonly at: number
  /** Processor time of the agent and all below it so far. */
  readonly cpuMs: number
  /** Commands that it runs. CLIs put these into separate sessions, unlike the servers they keep. */
  readonly tools: number
  /** The agent first; of a crowd only the first ones. */
  readonly processes: readonly ProcessLook[]
  /** A process that waits for input from outside the run; absent: none is seen to. */
  readonly waits?: InputWait
  /** TCP connections that the agent itself has open; absent: this machine does not tell. */
  readonly connections?: number
}

export interface ProcessLook {
  readonly pid: number
  /** The name of its program. */
  readonly name: string
  readonly cpuMs: number
  /** It belongs to a command that the agent runs. */
  readonly isTool: boolean
}

export interface InputWait {
  readonly pid: number
  readonly name: string
  readonly on: 'stdin' | 'terminal'
}

/**
 * The looks of one silence that are needed to know the use of the processor over a while: a short one can show a moment's
 * work of an agent that only waits.
 */
export interface Looks {
  readonly base: Look
  /** The next base. */
  readonly middle: Look
  readonly latest: Look
}

/** `windowMs`: how far back the base is to be, at most; it is at least half as old once there were looks for so long. */
export function withLook(before: Looks | undefined, latest: Look, windowMs: number): Looks {
  if (before === undefined) return { base: latest, middle: latest, latest }
  const { base, middle } = before
  const isOld = latest.at - middle.at >= windowMs / 2
  return isOld ? { base: middle, middle: latest, latest } : { base, middle, latest }
}

/** Without a process of the run, the table tells nothing of it: not that it rests. */
export function isSeen({ latest }: Pick<Looks, 'latest'>): boolean {
  return latest.processes.length > 0
}

/** Share of one processor that the agent and all below it used between two looks; undefined: they are the same look, or one shows nothing. */
export function cpuShare({ base, latest }: Pick<Looks, 'base' | 'latest'>): number | undefined {
  if (latest.at <= base.at || !isSeen({ latest }) || !isSeen({ latest: base })) return undefined
  return Math.max(0, latest.cpuMs - base.cpuMs) / (latest.at - base.at)
}

export interface BusyProcess {
  readonly pid: number
  readonly name: string
  /** undefined: it was seen once. */
  readonly share: number | undefined
}

/** The process that says most about the silence: the busiest one, of those that work on a command if none is busy. */
export function tellingProcess({ base, latest }: Pick<Looks, 'base' | 'latest'>): BusyProcess | undefined {
  const before = new Map(base.processes.map(({ pid, cpuMs }) => [pid, cpuMs]))
  const ms = latest.at - base.at
  const seen = latest.processes.map(({ pid, name, cpuMs, isTool }, index) => {
    // One that was not there has used all of its time since.
    const usedMs = Math.max(0, cpuMs - (before.get(pid) ?? 0))
    return { pid, name, isTool, index, share: ms > 0 ? usedMs / ms : undefined }
  })
  const isBusy = (share: number | undefined): boolean => (share ?? 0) > WORKING_SHARE
  const rank = (each: (typeof seen)[number]): number =>
    isBusy(each.share) ? 3 : each.isTool ? 2 : each.index > 0 ? 1 : 0
  const [first] = seen.sort(
    (a, b) => rank(b) - rank(a) || (isBusy(a.share) ? (b.share ?? 0) - (a.share ?? 0) : 0) || b.index - a.index,
  )
  if (first === undefined) return undefined
  // The servers that it keeps say nothing; the agent itself does.
  const told = rank(first) === 1 ? (seen.find(({ index }) => index === 0) ?? first) : first
  return { pid: told.pid, name: told.name, share: told.share }
}

/** Share of a processor. CLIs that only waited for their model used up to 2 %. */
export const WORKING_SHARE = 0.05
