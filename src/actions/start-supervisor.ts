import { openSharedQueue } from '../app.ts'
import type { RunFlags } from '../domain/fleet/run-flags.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import type { Holder } from '../platform/sqlite/supervisor-lock.ts'
import { isLeaving, type Pause, pauseOf } from '../views/supervisor.ts'
import type { ActionContext } from './action-context.ts'
import { launchSupervisor } from './launch-supervisor.ts'
import { recordedSupervisor, settledSupervisor, stopSupervisor } from './stop-supervisor.ts'
import type { SupervisorSetting } from './with-supervisor.ts'

export interface Starting extends SupervisorSetting {
  readonly flags: RunFlags
  readonly progress?: ActionContext['progress']
}

export type Started = {
  readonly holder: Holder
  /** Claiming is paused, so the supervisor starts nothing yet. */
  readonly paused: Pause | undefined
} & (
  | { readonly kind: 'started' }
  /** `flagsUnknown`: the old supervisor may have had flags that this one does not get, because it did not record them. */
  | { readonly kind: 'restarted'; readonly flagsUnknown: boolean }
  /** Another was running, or started first. `otherFlags`: it runs with other flags than these. */
  | { readonly kind: 'already-running'; readonly otherFlags: boolean }
)

/** Starts a supervisor in the background, unless one is running. */
export async function startSupervisor(starting: Starting): Promise<Started> {
  const { home, flags } = starting
  const running = await settledSupervisor(home)
  if (running !== undefined) return alreadyRunning(home, running, flags)
  await tryQueue(home)
  const { holder, ours } = await launchSupervisor(starting, flagWords(flags))
  return ours ? { kind: 'started', holder, paused: pauseOf(home) } : alreadyRunning(home, holder, flags)
}

/**
 * Ends the running supervisor and starts another, which adopts its agents. Without flags it gets those of the old one. The
 * answer is `restarted` also if none was running: an old one that is about to end may be gone before it is found.
 */
export async function restartSupervisor(starting: Starting): Promise<Started> {
  const { home, flags } = starting
  const before = await recordedSupervisor(home)
  const given = flagWords(flags)
  const words = given.length > 0 ? given : flagWords(before?.flags ?? {})
  await tryQueue(home)
  if (before !== undefined) await stopSupervisor({ ...starting, holder: before, how: 'keep' })
  const { holder, ours } = await launchSupervisor(starting, words)
  if (!ours) return alreadyRunning(home, holder, flags)
  const flagsUnknown = given.length === 0 && before?.flags === null
  return { kind: 'restarted', holder, paused: pauseOf(home), flagsUnknown }
}

/** For the command line of a daemon, which never has --once. */
export function flagWords({ coder, model, max }: RunFlags): string[] {
  return [
    ...(coder === undefined ? [] : [`--coder=${coder}`]),
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...(max === undefined ? [] : [`--max=${max}`]),
  ]
}

/** A running supervisor survives an outage of the server; a new one could not start during it. */
async function tryQueue(home: Home): Promise<void> {
  await using _queue = await openSharedQueue(home)
}

/** A supervisor that is about to end does not count: the caller could not rely on it. */
function alreadyRunning(home: Home, holder: Holder, flags: RunFlags): Started {
  if (isLeaving(holder)) throw leaving(holder)
  const inForce = flagWords(holder.flags ?? {})
  const otherFlags = !flagWords(flags).every((word) => inForce.includes(word))
  return { kind: 'already-running', holder, otherFlags, paused: pauseOf(home) }
}

function leaving({ mode, proc }: Holder): AppError {
  const [ends, restarts] =
    mode === 'draining'
      ? ['when its last agent has ended', 'starts another at once, which adopts its agents']
      : ['when its agents have ended', 'waits for that and starts another']
  const pid = proc === null ? '' : ` (pid ${proc.pid})`
  return new AppError('failed', `the supervisor${pid} is ${mode}: it ends ${ends}`, {
    hint: `fleet run status says when it is gone; fleet run restart ${restarts}`,
  })
}
