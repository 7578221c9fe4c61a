import { AppError } from '../errors.ts'
import { isTaskId } from './id.ts'

/** The run that a command is called from, as its environment tells. */
export interface OwnRun {
  readonly run: string
  readonly task: string
}

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** undefined: a person's shell, or a program of theirs. Half a run is refused: nobody would know whose word it is. */
export function ownRun(env: Readonly<Record<string, string | undefined>>): OwnRun | undefined {
  const run = env['FLEET_RUN_ID'] ?? ''
  const task = env['FLEET_TASK_ID'] ?? ''
  if (run === '') return undefined
  if (!RUN_ID.test(run) || !isTaskId(task)) {
    throw new AppError(
      'usage',
      `FLEET_RUN_ID ${JSON.stringify(run)} and FLEET_TASK_ID ${JSON.stringify(task)} name no run`,
      {
        hint: 'inside a run, leave both as the supervisor set them; outside, unset FLEET_RUN_ID',
      },
    )
  }
  return { run, task }
}
