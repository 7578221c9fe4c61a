import { join } from 'node:path'
import { openLedger } from '../../app.ts'
import type { Run } from '../../domain/run/run.ts'
import { AppError } from '../../errors.ts'
import { sendSignal, startDaemon } from '../../platform/process/daemon.ts'
import { supervisorAlive } from '../../platform/sqlite/supervisor-lock.ts'
import type { Program } from '../action-context.ts'
import { didNotStartText } from '../launch-supervisor.ts'
import type { DemoPlace } from './demo-home.ts'

const AGENTS = 3

/** A supervisor at work on the tasks of a demo. */
export interface DemoRun {
  hasEnded(): boolean
  /** It holds its home, so its tasks can be shown. */
  isAlive(): boolean
  /** Every attempt so far. */
  runs(): readonly Run[]
  /** Throws with the reason that the supervisor gave if it ended with an error before the first attempt. */
  requireBegun(): void
  stop(): void
}

/** Starts the supervisor as a user would: it ends by itself when no task is left. */
export function startDemo(
  { home }: DemoPlace,
  { env, program }: { env: NodeJS.ProcessEnv; program: Program },
): DemoRun {
  const daemon = startDaemon([program.node, program.fleet, 'run', '--once', `--max=${AGENTS}`, '--quiet'], {
    output: join(home.logging, 'supervisor.out'),
    env: { ...env, FLEET_HOME: home.path },
  })
  if (daemon === undefined) throw new AppError('failed', 'the supervisor could not be started')
  const runs = (): readonly Run[] => {
    using ledger = openLedger(home, { readOnly: true })
    return [...ledger.openRuns(), ...ledger.recentlyEnded(50)]
  }
  return {
    hasEnded: () => daemon.exited() !== undefined,
    isAlive: () => supervisorAlive(home) !== undefined,
    runs,
    requireBegun: () => {
      // Quiet, it prints nothing but its own error.
      const said = daemon.exited() === undefined ? '' : daemon.output()
      if (said !== '' && runs().length === 0) throw new AppError('failed', didNotStartText(said))
    },
    stop: () => {
      if (daemon.exited() === undefined) sendSignal(daemon.pid, 'SIGTERM')
    },
  }
}
