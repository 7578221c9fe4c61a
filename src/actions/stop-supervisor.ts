import { openLedger } from '../app.ts'
import type { Proc } from '../domain/run/run.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { touchWake } from '../platform/files/wake.ts'
import { pause, sendSignal } from '../platform/process/daemon.ts'
import { type Holder, isStillAlive, supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { ActionContext } from './action-context.ts'

export interface Stopping {
  readonly home: Home
  readonly holder: Holder
  /** `keep` leaves the agents running for the next supervisor; `now` kills them without grace. */
  readonly how: 'graceful' | 'now' | 'keep'
  readonly progress?: ActionContext['progress']
}

/** Stops this supervisor; returns when it has ended. */
export async function stopSupervisor({ home, holder: found, how, progress }: Stopping): Promise<void> {
  const holder = await recordedSupervisor(home, found)
  if (holder === undefined) return
  const { proc } = holder
  sendSignal(proc.pid, how === 'keep' ? 'SIGHUP' : 'SIGTERM')
  const begun = performance.now()
  let reported = false
  for (let again = how === 'now'; isStillAlive(home, holder); ) {
    if (again && performance.now() - begun > 100) {
      sendSignal(proc.pid, 'SIGTERM')
      again = false
    }
    if (!reported && performance.now() - begun > 1000) {
      progress?.({ kind: 'supervisor-stopping' })
      reported = true
    }
    await pause(20)
  }
}

/** A supervisor that this process can signal. */
export interface Recorded extends Holder {
  readonly proc: Proc
}

/** A supervisor writes its record after it takes the lock, and removes it before it frees the lock. */
const UNRECORDED_MS = 3000

/** The supervisor of this home, after a moment for one that is just starting or ending; undefined: it has ended, or there is none. */
export async function settledSupervisor(home: Home, found = supervisorAlive(home)): Promise<Holder | undefined> {
  const until = performance.now() + UNRECORDED_MS
  let holder = found
  while (holder?.proc === null && performance.now() < until) {
    await pause(20)
    holder = supervisorAlive(home)
  }
  return holder
}

/** The same; throws if this process cannot signal it. */
export async function recordedSupervisor(home: Home, found?: Holder): Promise<Recorded | undefined> {
  const holder = await settledSupervisor(home, found)
  if (holder === undefined) return undefined
  const { proc } = holder
  if (proc !== null) return { ...holder, proc }
  throw new AppError('failed', 'the supervisor runs where this process cannot see it', {
    hint: 'end it where it was started (another container or pid namespace)',
  })
}

/** Lets running agents finish and then the supervisor end; returns when it has ended. */
export async function drainSupervisor({ home, by, progress }: ActionContext): Promise<void> {
  const holder = requireSupervisor(home)
  using ledger = openLedger(home)
  const { id } = ledger.request('drain', '', by, Date.now())
  touchWake(home.wake)
  let reported = -1
  while (isStillAlive(home, holder)) {
    const request = ledger.requestById(id)
    if (request?.ending === 'withdrawn') {
      throw new AppError('failed', `the supervisor does not drain (${request.answer})`, {
        hint: 'ask again: fleet run drain',
      })
    }
    const agents = ledger.openRuns().length
    if (agents !== reported) progress?.({ kind: 'draining', agents })
    reported = agents
    await pause(200)
  }
}

export function requireSupervisor(home: Home): Holder {
  home.require()
  const holder = supervisorAlive(home)
  if (holder !== undefined) return holder
  throw new AppError('not-running', `no supervisor is running on ${home.path}`, { hint: 'fleet run start starts one' })
}
