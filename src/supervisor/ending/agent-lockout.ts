import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'

/** An agent that made its own folder unwritable loses its record, not its slot. A full disk throws, and is retried. */
export async function toleratingAgentLockout(
  { log }: World,
  { record }: LiveRun,
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!LOCKED_OUT.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    log('task-folder-unwritable', { task: record.task, run: record.id, why: String(error) })
  }
}

const LOCKED_OUT = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EROFS'])
