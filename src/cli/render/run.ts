import { pluralize } from '../../domain/text/pluralize.ts'
import type { Holder } from '../../platform/sqlite/supervisor-lock.ts'
import type { ComingRetry } from '../follow/retries.ts'
import { elapsed, moment } from './figures.ts'
import { plainLine } from './plain.ts'

export function holderText({ proc }: Holder): string {
  return proc === null ? '' : ` (pid ${proc.pid})`
}

/** `running (pid 4711) since 14:02:11, for 2h07m, 3 agents`; one that is about to end says so instead. */
export function runningLine(holder: Holder, { agents, now }: { agents: number; now: number }): string {
  const { startedAt } = holder
  const leaving = isLeaving(holder)
  const up = startedAt === null ? '' : `since ${moment(startedAt, now)}, for ${elapsed(now - startedAt)}`
  const since = up === '' ? '' : `${leaving ? ', up ' : ' '}${up}`
  return `${leaving ? holder.mode : 'running'}${holderText(holder)}${since}, ${pluralize(agents, 'agent')}`
}

/** It ends by itself, and begins nothing any more. */
export function isLeaving({ mode }: Holder): boolean {
  return mode === 'draining' || mode === 'stopping'
}

/** `! claiming nothing: paused by anna at 14:02:11; fleet resume` */
export function pausedLine({ by, at }: { by: string; at: number }, now: number): string {
  return plainLine(`! claiming nothing: paused by ${by} at ${moment(at, now)}; fleet resume`)
}

/** Why nothing happens for a while; undefined: no retry is coming. */
export function retriesLine(retries: readonly ComingRetry[], now: number): string | undefined {
  const [next, ...more] = retries
  if (next === undefined) return undefined
  // Rounded up: what is said must not be over before it was.
  const wait = elapsed(Math.ceil((next.at - now) / 1000) * 1000)
  const others = more.length === 0 ? '' : `, and later of ${more.length} more`
  return plainLine(`waiting for a retry of ${next.task} in ${wait}${others}`)
}
