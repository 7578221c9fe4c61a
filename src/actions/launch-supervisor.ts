import { join } from 'node:path'
import type { Call } from '../cli/command.ts'
import { AppError } from '../errors.ts'
import { privateDirectory } from '../platform/files/home.ts'
import { pause, startDaemon } from '../platform/process/daemon.ts'
import { type Holder, supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'

/** So long for it to adopt what runs: many agents on a beads queue take their time. */
const BEGIN_MS = 60_000

/** Of what it said, the beginning: its own words. The rest of an unexpected error is its stack. */
const LINES_SHOWN = 5

export interface Launched {
  /** Ours, or another that was quicker. */
  readonly holder: Holder
  readonly ours: boolean
}

/** Returns when it has begun: a supervisor that holds the home may still fail to open what is in it. */
export async function launchSupervisor(
  { home, env }: Pick<Call, 'home' | 'env'>,
  words: readonly string[],
): Promise<Launched> {
  privateDirectory(home.logging)
  const output = join(home.logging, 'supervisor.out')
  const daemon = startDaemon([process.execPath, process.argv[1] ?? '', 'run', '--quiet', ...words], {
    output,
    env: { ...env, FLEET_HOME: home.path },
  })
  const until = performance.now() + BEGIN_MS
  while (daemon !== undefined && performance.now() < until) {
    // Before the lock is looked at: who ended because of another one is told of that one.
    const exited = daemon.exited() !== undefined
    const holder = supervisorAlive(home)
    const ours = holder?.proc?.pid === daemon.pid
    if (ours && holder.mode !== null) return { holder, ours }
    if (exited && holder !== undefined) return { holder, ours }
    if (exited) throw didNotStart(output, daemon.said())
    await pause(20)
  }
  if (daemon === undefined) throw didNotStart(output, '')
  throw new AppError('failed', `the supervisor (pid ${daemon.pid}) has not begun after ${BEGIN_MS / 1000} s`, {
    hint: 'fleet log says what it does; fleet run stop ends it',
  })
}

function didNotStart(output: string, said: string): AppError {
  const why = said
    .trim()
    .replace(/^fleet: /, '')
    .split('\n')
    .slice(0, LINES_SHOWN)
    .join('\n')
  return new AppError('failed', `the supervisor did not start${why === '' ? '' : `: ${why}`}`, {
    hint: `see ${output}`,
  })
}
