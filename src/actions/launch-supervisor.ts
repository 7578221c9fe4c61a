import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { privateDirectory } from '../platform/files/home.ts'
import { pause, startDaemon } from '../platform/process/daemon.ts'
import { type Holder, supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { SupervisorSetting } from './with-supervisor.ts'

/** Adopting many agents on a beads queue takes a while. */
const BEGIN_MS = 60_000

/** The first lines of its output are its error message; the rest is a stack. */
const LINES_SHOWN = 5

export interface Launched {
  readonly holder: Holder
  /** false: another supervisor started first. */
  readonly ours: boolean
}

/** Starts a daemon; returns when it has begun to work, because opening the home's queue may still fail after the lock. */
export async function launchSupervisor(
  { home, env, program }: SupervisorSetting,
  words: readonly string[],
): Promise<Launched> {
  privateDirectory(home.logging, { below: home.path })
  const output = join(home.logging, 'supervisor.out')
  const daemon = startDaemon([program.node, program.fleet, 'run', '--quiet', ...words], {
    output,
    env: { ...env, FLEET_HOME: home.path },
  })
  const until = performance.now() + BEGIN_MS
  while (daemon !== undefined && performance.now() < until) {
    // Read before the lock: a daemon that ended because of another supervisor must find that one alive.
    const exited = daemon.exited() !== undefined
    const holder = supervisorAlive(home)
    const ours = holder?.proc?.pid === daemon.pid
    if (ours && holder.mode !== null) return { holder, ours }
    if (exited && holder !== undefined) return { holder, ours }
    if (exited) throw didNotStart(output, daemon.output())
    await pause(20)
  }
  if (daemon === undefined) throw didNotStart(output, '')
  throw new AppError('failed', `the supervisor (pid ${daemon.pid}) has not begun after ${BEGIN_MS / 1000} s`, {
    hint: 'fleet log says what it does; fleet run stop ends it',
  })
}

function didNotStart(output: string, said: string): AppError {
  return new AppError('failed', didNotStartText(said), { hint: `see ${output}` })
}

/** With the reason, and the next step below it, that the supervisor gave in its output. */
export function didNotStartText(said: string): string {
  const why = said
    .trim()
    .replace(/^fleet: /, '')
    .split('\n')
    .slice(0, LINES_SHOWN)
    .join('\n')
  return `the supervisor did not start${why === '' ? '' : `: ${why}`}`
}
