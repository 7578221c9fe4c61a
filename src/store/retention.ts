import { join } from 'node:path'
import { isAgentsDoing } from '../domain/run/damage.ts'
import type { Retention } from '../domain/run/retention.ts'
import { AppError } from '../errors.ts'
import { namesIn } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { packedSize, removePacked, UNPACKED_FOLDER } from '../platform/files/packed.ts'
import { discardFolder, leftFolders } from '../platform/files/temporary-folder.ts'
import { PRIVATE_FOLDER } from '../platform/git/private-folder.ts'
import type { Ledger } from '../ports/ledger.ts'
import { type FreedOfTask, retainTask } from './retained-task.ts'

/** The result of a pass over the home, made or planned. */
export interface Freed extends FreedOfTask {
  logs: number
  leftovers: number
  /** Tasks whose folders could not be read or changed, as an agent can make them. */
  skipped: number
}

/** Longer than any look or reading lasts. */
const LEFT_AFTER = 24 * 3_600_000

export interface RetentionPass {
  readonly home: Home
  readonly ledger: Pick<Ledger, 'runsOf' | 'recordsOf'> & { readonly landings: Pick<Ledger['landings'], 'open'> }
  readonly retention: Retention
  readonly now: number
  readonly dryRun: boolean
  /** Called after each task, so that a supervisor can pause. true: stop here. */
  pause?(): Promise<boolean>
}

/** Compresses and removes what is old enough, one task after another. Runs that are not settled are not touched. */
export async function retain(pass: RetentionPass): Promise<Freed> {
  const freed: Freed = { compressed: 0, removed: 0, logs: 0, leftovers: 0, bytes: 0, skipped: 0 }
  const landing = new Set(pass.ledger.landings.open().map(({ task }) => task))
  for (const task of namesIn(pass.home.tasks)) {
    try {
      await retainTask(
        { ...pass, folder: join(pass.home.tasks, task), runs: pass.ledger.runsOf(task), isLanding: landing.has(task) },
        freed,
      )
    } catch (error) {
      // One task must not keep all others. A store that fails is no matter of a task.
      if (!isAgentsDoing(codeOf(error))) throw error
      freed.skipped++
    }
    if ((await pass.pause?.()) === true) return freed
  }
  removeLogs(pass, freed)
  removeLeftovers(pass, freed)
  return freed
}

/** Of an error of the system, also of one that was put into words. */
function codeOf(error: unknown): string | undefined {
  const { code } = (error instanceof AppError ? error.cause : error) as NodeJS.ErrnoException
  return code
}

/** The supervisor's log has a file for each day. */
function removeLogs({ home, retention, now, dryRun }: RetentionPass, freed: Freed): void {
  for (const name of namesIn(home.logging)) {
    const day = /^fleet-(\d{4}-\d\d-\d\d)\.jsonl$/.exec(name)?.[1]
    if (day === undefined || !(now - Date.parse(day) > retention.removeAfter + LEFT_AFTER)) continue
    const path = join(home.logging, name)
    freed.logs++
    freed.bytes += dryRun ? packedSize(path).plain : removePacked(path)
  }
}

/** Temporary folders that a killed fleet left. */
function removeLeftovers({ now, dryRun }: RetentionPass, freed: Freed): void {
  for (const path of leftFolders([PRIVATE_FOLDER, UNPACKED_FOLDER], now - LEFT_AFTER)) {
    freed.leftovers++
    if (!dryRun) discardFolder(path)
  }
}
