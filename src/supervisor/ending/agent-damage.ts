import { damageBehind, destroyedText, withDamage } from '../../domain/run/damage.ts'
import type { Judgement } from '../../domain/run/judgement.ts'
import { AppError } from '../../errors.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'

/**
 * An agent that locks, removes or replaces its own files loses its evidence, never its slot. Trouble of the machine, such as
 * a full disk, still throws, and is retried.
 */

/** Undoes the damage, once no process of the run is left, and remembers it for the judgement. */
export function mendRun({ attempts, log }: World, { record, ending }: LiveRun): void {
  const { task, attempt, id } = record
  const found = attempts.mend(task, { attempt, hasBegun: true })
  const all = withDamage(ending.damage, found)
  // A judgement that is retried finds the same again.
  if (all.length > ending.damage.length) log('task-folder-damaged', { task, run: id, why: destroyedText(found) })
  ending.damage = all
}

/** Does work in the folder of the task. undefined: the agent has made it impossible, which is remembered. */
export async function toleratingDamage<T>(
  { attempts, log }: World,
  { record, ending }: LiveRun,
  work: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    const damage = damageBehind(faultOf(error), attempts.taskFolder(record.task))
    if (damage === undefined || !attempts.isReachable()) throw error
    log('task-folder-unwritable', { task: record.task, run: record.id, why: String(error) })
    ending.damage = withDamage(ending.damage, [damage])
    return undefined
  }
}

/** The judgement of a run whose evidence was destroyed: nothing that it says counts. */
export function judgedByDamage(judged: Judgement, { ending: { damage } }: LiveRun): Judgement {
  if (damage.length === 0) return judged
  return { outcome: { code: 'evidence-destroyed', text: destroyedText(damage) }, level: 'none' }
}

function faultOf(error: unknown): { code: string | undefined; path: string | undefined } {
  const { code, path } = ((error instanceof AppError && error.cause) || error) as Partial<NodeJS.ErrnoException>
  return { code: typeof code === 'string' ? code : undefined, path: typeof path === 'string' ? path : undefined }
}
