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

/** Changes the runs that the switch knows: a copy per message would cost more than all the rest. */
export function apply({ all, runs, ended }: Message, known: Map<string, GuardedRun>): void {
  if (all) known.clear()
  for (const run of ended) known.delete(run)
  for (const run of runs) known.set(run.run, run)
}

export type Due = 'nothing' | 'terminate' | 'kill'

export function dueOf({ terminateAt, killAt }: Pick<GuardedRun, 'terminateAt' | 'killAt'>, now: number): Due {
  return now >= killAt ? 'kill' : now >= terminateAt ? 'terminate' : 'nothing'
}

/** In the process list, and how a later supervisor of the home finds the switch: no file that an agent could replace. */
export function titleOf(home: string): string {
  return `fleet (ends agents in time) ${home}`
}
