import { counted } from '../../domain/text/counted.ts'
import { elapsed, moment, upcoming } from '../../domain/text/moment.ts'
import { plainLine } from '../../domain/text/plain.ts'
import type { ComingRetry } from '../../views/retries.ts'
import { isLeaving, type SupervisorStatus } from '../../views/supervisor.ts'

type Holder = NonNullable<SupervisorStatus['holder']>

export function holderText({ proc }: Holder): string {
  return proc === null ? '' : ` (pid ${proc.pid})`
}

/** `running (pid 4711) since 14:02:11, for 2h07m, 3 agents`; one that is about to end says so instead. */
function runningLine(holder: Holder, { agents, now }: { agents: number; now: number }): string {
  const { startedAt } = holder
  const leaving = isLeaving(holder)
  const up = startedAt === null ? '' : `since ${moment(startedAt, now)}, for ${elapsed(now - startedAt)}`
  const since = up === '' ? '' : `${leaving ? ', up ' : ' '}${up}`
  return `${leaving ? holder.mode : 'running'}${holderText(holder)}${since}, ${counted(agents, 'agent')}`
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

type Fields = Readonly<Record<string, unknown>>

/** What a foreground supervisor says, in one line each; the rest is for `fleet log`. */
const TOLD: Readonly<Record<string, (fields: Fields) => string>> = {
  'supervisor started': ({ adopted }) =>
    adopted === 0 ? 'supervisor started' : `supervisor started, ${counted(Number(adopted), 'agent')} adopted`,
  'run started': ({ task, attempt, coder }) => `▶ ${task}  attempt ${attempt}, ${coder}`,
  'run ended': ({ task, outcome, why, becomes }) =>
    `${outcome === 'done' ? '✓' : '■'} ${task}  ${outcome}${why === '' ? '' : `: ${why}`}${becomes === undefined || outcome === 'done' ? '' : ` → ${becomes}`}`,
  'task.json changed while it ran': ({ why }) => `! ${why}`,
  'task refused': ({ task, why }) => `■ ${task}  blocked: ${why}`,
  'lane down': ({ lane, why }) => `! ${lane} is down: ${why}`,
  'lane paused': ({ lane, why, until }) => `! ${lane} is paused until ${upcoming(Number(until), Date.now())}: ${why}`,
  'lane up again': ({ lane }) => `${lane} is up again`,
  'claiming nothing': ({ why, paused }) =>
    paused === undefined
      ? `! claiming nothing: ${why}`
      : pausedLine(paused as Parameters<typeof pausedLine>[0], Date.now()),
  'claiming again': () => 'claiming again',
  'in trouble, trying again': ({ what, why }) => `! ${what}: ${why}; trying again`,
  'runtime.toml is wrong, the last good one stays': ({ why }) => `! ${why}; the last good configuration stays`,
  'runtime.toml read again': () => 'runtime.toml read again',
  draining: () => 'draining: no new claims',
  'leaving agents to the next supervisor': ({ runs }) =>
    `leaving ${counted(Number(runs), 'agent')} to the next supervisor`,
  'ended what a run left behind': ({ task, found }) =>
    `  ${task}: ended ${counted((found as unknown[]).length, 'process')} it left behind`,
}

/** undefined: not worth a line. */
export function toldLine(event: string, fields: Fields): string | undefined {
  const told = TOLD[event]
  return told === undefined ? undefined : plainLine(told(fields))
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
