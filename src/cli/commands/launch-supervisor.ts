import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { privateDirectory } from '../../platform/files/home.ts'
import { pause, startDaemon } from '../../platform/process/daemon.ts'
import { type Holder, supervisorAlive } from '../../platform/sqlite/supervisor-lock.ts'
import type { Call } from '../command.ts'

/** How long a new supervisor may take to adopt running agents: on a beads queue that takes its time. */
const BEGIN_MS = 60_000

/** The beginning of its output: the message. The rest of an unexpected error is its stack. */
const LINES_SHOWN = 5

export interface Launched {
  /** Ours, or another supervisor that was quicker. */
  readonly holder: Holder
  readonly ours: boolean
}

/** Returns when the supervisor has begun: one that holds the lock may still fail to open the home's store. */
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
    // Read before the lock: if ours ended because another holds the lock, that one is found below.
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

function didNotStart(file: string, output: string): AppError {
  const why = output
    .trim()
    .replace(/^fleet: /, '')
    .split('\n')
    .slice(0, LINES_SHOWN)
    .join('\n')
  return new AppError('failed', `the supervisor did not start${why === '' ? '' : `: ${why}`}`, {
    hint: `see ${file}`,
  })
}
