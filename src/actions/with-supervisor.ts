import type { Call } from '../cli/command.ts'
import { acquireSupervisorLock, supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { version } from '../version.ts'

/**
 * Does this while a supervisor is there. Where none is, this command is one for as long as it takes: it adopts the agents
 * that live, claims nothing, and leaves those that nobody asked it to end.
 */
export async function withSupervisor<T>({ home, env }: Pick<Call, 'home' | 'env'>, work: () => Promise<T>): Promise<T> {
  // First a look that waits for nobody: who takes the lock gives a supervisor that is just leaving some seconds.
  if (supervisorAlive(home) !== undefined) return await work()
  const acquired = acquireSupervisorLock(home, { version, now: Date.now() })
  if (acquired.kind === 'taken') return await work()
  using _lock = acquired.lock
  const { supervise } = await import('../supervise.ts')
  const program = { node: process.execPath, fleet: process.argv[1] ?? '', version }
  await using supervision = await supervise({ home, env, program, claiming: false })
  const { supervisor } = supervision
  await supervisor.start()
  try {
    return await work()
  } finally {
    supervisor.keep()
  }
}
