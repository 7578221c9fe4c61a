import type { Home } from '../platform/files/home.ts'
import { acquireSupervisorLock, supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { Program } from './action-context.ts'

export interface SupervisorSetting {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly program: Program
}

/**
 * Does the work while a supervisor is running. Without one, this process becomes the supervisor until the work is done: it
 * adopts the running agents, claims nothing, and leaves all other agents running. The work begins before that, so that what
 * it asks for is known when they are adopted.
 */
export async function withSupervisor<T>({ home, env, program }: SupervisorSetting, work: () => Promise<T>): Promise<T> {
  // First a look that does not wait: acquiring the lock waits some seconds for a supervisor that is just ending.
  if (supervisorAlive(home) !== undefined) return await work()
  const acquired = acquireSupervisorLock(home, { version: program.version, now: Date.now() })
  if (acquired.kind === 'taken') return await work()
  using _lock = acquired.lock
  const { supervise } = await import('../supervise.ts')
  await using supervision = await supervise({ home, env, program, claiming: false })
  const { supervisor } = supervision
  const working = work()
  working.catch(() => {}) // awaited below; a failed start must not leave it unhandled
  await supervisor.start()
  try {
    return await working
  } finally {
    supervisor.keep()
  }
}
