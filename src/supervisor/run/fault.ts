import { type BeginTrouble, isOfTheMachine } from '../../domain/run/machine-trouble.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { AppError } from '../../errors.ts'
import type { World } from '../world.ts'

/** Whether the task or the machine is at fault when a run cannot begin. */

/** The task's own trouble counts as a failure, or it would be retried for ever. */
export function codeOf(world: World, error: unknown): Outcome['code'] {
  if (error instanceof AppError && error.code === 'config') return 'bad-settings'
  return isTroubleOfTheMachine(world, error) ? 'never-started' : 'error'
}

/** A store in trouble, a coder without a cause, or an error of the system. */
export function isTroubleOfTheMachine(world: World, error: unknown): boolean {
  if (error instanceof AppError && (error.code === 'queue' || error.cause === undefined)) return true
  return isSystemTrouble(world, error)
}

/** An error of the system that is not the task's. */
export function isSystemTrouble({ machine }: Pick<World, 'machine'>, error: unknown): boolean {
  const { code, step = 'files' } = ((error as Error).cause ?? error) as Partial<Pick<BeginTrouble, 'code' | 'step'>>
  return isOfTheMachine({ code, step, homeIsWritable: () => machine.homeProblem() === undefined })
}
