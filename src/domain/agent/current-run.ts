import { AppError } from '../../errors.ts'
import { isTaskId } from '../task/id.ts'

/** The run that a command is called from, as its environment tells. */
export interface CurrentRun {
  readonly run: string
  readonly task: string
}

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/**
 * undefined: a person's shell, or a run of another home (an agent that tries out a fleet of its own). Half a run is
 * refused: nobody would know whose word it is.
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

/** Who an agent is in the record of changes. */
export function agentName(task: string): string {
  return `agent:${task}`
}
