import { actorFrom } from '../../app.ts'
import { AppError } from '../../errors.ts'

/** Who steers. An agent may not: what it says is evidence, never a state change. */
export function personFrom(env: NodeJS.ProcessEnv): string {
  if ((env['FLEET_RUN_ID'] ?? '') !== '') {
    throw new AppError('conflict', 'an agent cannot steer the fleet from inside its run', {
      hint: 'fleet ask puts it to a person',
    })
  }
  return actorFrom(env, undefined)
}
