import type { GuardedRun } from '../../../ports/dead-man.ts'

/** From the supervisor to its dead man's switch, one line of JSON each; the switch answers with the line `<n>`. */
export interface Message {
  /** Grows. An answer stands for all messages up to it. */
  readonly n: number
  /** true: these are all runs there are. */
  readonly all: boolean
  readonly runs: readonly GuardedRun[]
  /** Runs of which nothing is left. */
  readonly ended: readonly string[]
}

export function encode(message: Message): string {
  return `${JSON.stringify(message)}\n`
}

/** Splits what was read into whole lines and the beginning of the next one. */
export function linesOf(text: string): { readonly lines: readonly string[]; readonly rest: string } {
  const lines = text.split('\n')
  const rest = lines.pop() ?? ''
  return { lines, rest }
}

/** The runs that the switch knows after this message. */
export function afterMessage(
  known: ReadonlyMap<string, GuardedRun>,
  { all, runs, ended }: Message,
): Map<string, GuardedRun> {
  const next = new Map(all ? [] : known)
  for (const run of ended) next.delete(run)
  for (const run of runs) next.set(run.run, run)
  return next
}

export type Due = 'nothing' | 'terminate' | 'kill'

export function dueOf({ terminateAt, killAt }: Pick<GuardedRun, 'terminateAt' | 'killAt'>, now: number): Due {
  return now >= killAt ? 'kill' : now >= terminateAt ? 'terminate' : 'nothing'
}

/** In the process list, and how a later supervisor of the home finds the switch: no file that an agent could replace. */
export function titleOf(home: string): string {
  return `fleet (ends agents in time) ${home}`
}
