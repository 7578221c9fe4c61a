import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { readEnd } from '../../platform/attempt-folder.ts'
import { pause, startDaemon } from '../../platform/daemon.ts'
import { privateDirectory } from '../../platform/home.ts'
import { supervisorAlive } from '../../platform/supervisor-lock.ts'
import type { Call } from '../command.ts'

/** So long for it to adopt what runs: many agents on a beads queue take their time. */
const BEGIN_MS = 60_000

/** Returns its pid when it has begun: a supervisor that holds the home may still fail to open what is in it. */
export async function launchSupervisor(
  { home, env }: Pick<Call, 'home' | 'env'>,
  words: readonly string[],
): Promise<number> {
  privateDirectory(home.logging)
  const output = join(home.logging, 'supervisor.out')
  const daemon = startDaemon([process.execPath, process.argv[1] ?? '', 'run', '--quiet', ...words], {
    output,
    env: { ...env, FLEET_HOME: home.path },
  })
  const until = performance.now() + BEGIN_MS
  while (daemon !== undefined && daemon.exited() === undefined) {
    const holder = supervisorAlive(home)
    if (holder?.proc?.pid === daemon.pid && holder.mode !== null) return daemon.pid
    if (performance.now() > until) {
      throw new AppError('failed', `the supervisor (pid ${daemon.pid}) has not begun after ${BEGIN_MS / 1000} s`, {
        hint: 'fleet log says what it does; fleet run stop ends it',
      })
    }
    await pause(20)
  }
  const why = (readEnd(output, 2000) ?? '')
    .trim()
    .split('\n')
    .slice(-3)
    .join('\n')
    .replace(/^fleet: /, '')
  throw new AppError('failed', `the supervisor did not start${why === '' ? '' : `: ${why}`}`, { hint: `see ${output}` })
}
