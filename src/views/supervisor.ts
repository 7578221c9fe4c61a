import { openLedger } from '../app.ts'
import type { Run } from '../domain/run/run.ts'
import type { Home } from '../platform/files/home.ts'
import { unwritable } from '../platform/files/permissions.ts'
import { type Holder, supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'

export interface Pause {
  readonly by: string
  readonly at: number
}

export interface SupervisorStatus {
  /** undefined: no supervisor is running. */
  readonly holder: Holder | undefined
  /** Attempts under way; without a supervisor they are left to the next one. */
  readonly agents: number
  readonly paused: Pause | undefined
}

export function supervisorStatus(home: Home): SupervisorStatus {
  home.require()
  const holder = supervisorAlive(home)
  using ledger = openLedger(home, { readOnly: true })
  return { holder, agents: ledger.openRuns().length, paused: ledger.paused() }
}

/** Whether and by whom claiming is paused in this home. */
export function pauseOf(home: Home): Pause | undefined {
  using ledger = openLedger(home, { readOnly: true })
  return ledger.paused()
}

/** The attempts under way in this home. */
export function runsUnderWay(home: Home): readonly Run[] {
  using ledger = openLedger(home, { readOnly: true })
  return ledger.openRuns()
}

/** Something that runs need and this machine does not have. A home that cannot be written cannot hold a record of it either. */
export function lackOf(home: Home, holder: Holder | undefined): string | undefined {
  return holder === undefined ? undefined : (holder.lacks ?? unwritable([home.path, home.tasks]))
}

/** It claims nothing more and ends by itself. */
export function isLeaving({ mode }: Holder): boolean {
  return mode === 'draining' || mode === 'stopping'
}
