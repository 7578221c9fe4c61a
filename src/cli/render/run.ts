import { elapsed, moment } from '../../domain/text/moment.ts'
import { plainLine } from '../../domain/text/plain.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import type { ComingRetry } from '../../views/retries.ts'
import { isLeaving, type SupervisorStatus } from '../../views/supervisor.ts'

type Holder = NonNullable<SupervisorStatus['holder']>

export function holderText({ proc }: Holder): string {
  return proc === null ? '' : ` (pid ${proc.pid})`
}

/** `running (pid 4711) since 14:02:11, for 2h07m, 3 agents`, or that it is draining or stopping. */
function runningLine(holder: Holder, { agents, now }: { agents: number; now: number }): string {
  const { startedAt } = holder
  const leaving = isLeaving(holder)
  const up = startedAt === null ? '' : `since ${moment(startedAt, now)}, for ${elapsed(now - startedAt)}`
  const since = up === '' ? '' : `${leaving ? ', up ' : ' '}${up}`
  return `${leaving ? holder.mode : 'running'}${holderText(holder)}${since}, ${pluralize(agents, 'agent')}`
}

/** The lines of `fleet run status`. */
export function statusLines({ holder, agents, paused }: SupervisorStatus, now: number): string[] {
  const left = agents === 0 ? '' : `; ${agents === 1 ? '1 run is' : `${agents} runs are`} left to the next supervisor`
  return [
    holder === undefined ? `stopped${left}` : runningLine(holder, { agents, now }),
    ...(paused === undefined ? [] : [`claiming is paused by ${paused.by} (fleet resume)`]),
  ]
}

/** `! claiming nothing: paused by anna at 14:02:11; fleet resume` */
export function pausedLine({ by, at }: { by: string; at: number }, now: number): string {
  return plainLine(`! claiming nothing: paused by ${by} at ${moment(at, now)}; fleet resume`)
}

/** Why nothing happens for a while; undefined: no retry is coming. */
export function retriesLine(retries: readonly ComingRetry[], now: number): string | undefined {
  const [next, ...more] = retries
  if (next === undefined) return undefined
  // Rounded up, so that the wait is never shorter than printed.
  const wait = elapsed(Math.ceil((next.at - now) / 1000) * 1000)
  const others = more.length === 0 ? '' : `, and later of ${more.length} more`
  return plainLine(`waiting for a retry of ${next.task} in ${wait}${others}`)
}
