import { AppError } from '../../errors.ts'
import { isTaskId } from '../task/id.ts'

/** The run that a command was called from, according to its environment. */
export interface CurrentRun {
  readonly run: string
  readonly task: string
}

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/**
 * undefined in a person's shell, or in a run of another home (an agent trying out its own fleet). An incomplete pair of
 * variables is refused: fleet could not tell which run a message comes from.
 */
export function currentRun(
  env: Readonly<Record<string, string | undefined>>,
  home: { isTaskFolder(id: string, path: string): boolean },
): CurrentRun | undefined {
  const run = env['FLEET_RUN_ID'] ?? ''
  const task = env['FLEET_TASK_ID'] ?? ''
  if (run === '') return undefined
  if (!RUN_ID.test(run) || !isTaskId(task)) {
    const [given, of] = [JSON.stringify(run), JSON.stringify(task)]
    throw new AppError('usage', `FLEET_RUN_ID ${given} and FLEET_TASK_ID ${of} name no run`, {
      hint: 'inside a run, leave both as the supervisor set them; outside, unset FLEET_RUN_ID',
    })
  }
  const folder = env['FLEET_TASK_DIR'] ?? ''
  return folder === '' || home.isTaskFolder(task, folder) ? { run, task } : undefined
}

/** The actor name of an agent in a task's history. */
export function agentName(task: string): string {
  return `agent:${task}`
}
