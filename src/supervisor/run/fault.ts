import type { Outcome } from '../../domain/run/outcome.ts'
import { AppError } from '../../errors.ts'

/** Whether the task or the machine is at fault when a run cannot begin. */

/** The task's own trouble counts as a failure, or it would be retried for ever. */
export function codeOf(error: unknown): Outcome['code'] {
  if (error instanceof AppError && error.code === 'config') return 'bad-settings'
  return isOfTheMachine(error) ? 'never-started' : 'error'
}

/** No room, no files, no processes left, or a store in trouble. */
export function isOfTheMachine(error: unknown): boolean {
  if (error instanceof AppError && (error.code === 'queue' || error.cause === undefined)) return true
  const { code } = ((error as Error).cause ?? error) as { code?: string }
  return ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'EROFS', 'EIO'].includes(code ?? '')
}
