import type { RefusedEdit } from '../domain/agent/refused-edit.ts'
import type { Task } from '../domain/task/task.ts'

/**
 * `task.json` of each task. People edit it between runs. An edit made during a run is refused, because an agent can write the
 * file too.
 */
export interface TaskFiles {
  /**
   * Takes in a person's edit before a run, and returns the task with it; undefined: no such task. Throws AppError for an
   * edit that is wrong.
   */
  takeInEdit(task: string): Promise<Task | undefined>
  /** The edit made since `takeInEdit`, if any. Ask before the run is settled. */
  editDuringRun(task: string): Promise<RefusedEdit | undefined>
  /** Sets the edit aside under another name and writes the file again from the store. */
  refuseEdit(task: string): Promise<void>
}
