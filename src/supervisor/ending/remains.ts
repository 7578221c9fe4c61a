import { type RefusedEdit, refusedEditText } from '../../domain/agent/refused-edit.ts'
import type { ChangedFile } from '../../domain/fleet/home-file.ts'
import type { LeftInTemporary } from '../../ports/attempts.ts'
import { writeLog } from '../run/follow.ts'
import type { LiveRun } from '../run/live-run.ts'
import { editLine } from '../run/task-log.ts'
import type { World } from '../world.ts'
import { toleratingDamage } from './agent-damage.ts'

/** Traces of a run in the folders of its task, apart from its output and its work. */
export interface Remains {
  /** A change of task.json since the claim. */
  readonly edit: RefusedEdit | undefined
  readonly temporary: LeftInTemporary | undefined
  /** Files of the home that were changed while it was open. */
  readonly changedFiles: readonly ChangedFile[]
}

/** `looked`: a look at the home that began when no process of the run was left. */
export async function lookAtRemains(world: World, live: LiveRun, looked: Promise<void>): Promise<Remains> {
  const { id, task, attempt } = live.record
  await looked
  return {
    edit: await toleratingDamage(world, live, () => world.taskFiles.editDuringRun(task)),
    changedFiles: world.homeFiles.changesDuring(id),
    temporary: await toleratingDamage(world, live, () => world.attempts.leftInTemporary(task, attempt)),
  }
}

/** Before the edit is put aside: after that nobody could tell that there was one. */
export function tellEdit(world: World, live: LiveRun, edit: RefusedEdit): void {
  const { task, id, attempt } = live.record
  const text = refusedEditText(task, edit)
  world.log('edit-refused', { task, attempt, run: id, why: text })
  live.unwritten.log.push(editLine(live.record, { at: world.clock.now(), text }))
}

export async function putEditAside(world: World, live: LiveRun): Promise<void> {
  await toleratingDamage(world, live, async () => {
    writeLog(world, live)
    await world.taskFiles.refuseEdit(live.record.task)
  })
}

/** Closes its files and removes its temporary folder. */
export async function release({ attempts }: World, live: LiveRun, { temporary }: Remains): Promise<void> {
  live.output.stream?.close()
  live.sidecar?.stream.close()
  if (temporary !== undefined) await attempts.removeTemporary(live.record.task, live.record.attempt)
}
