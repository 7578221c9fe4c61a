import { join } from 'node:path'
import { type Service, serviceOf } from '../../domain/fleet/service.ts'
import { type Home, userHome } from '../files/home.ts'

/** The service of this home on this machine, installed or not; undefined: this platform has none. */
export function serviceHere(home: Home, env: NodeJS.ProcessEnv): Service | undefined {
  const user = userHome()
  const place = { platform: process.platform, home: home.path, usualHome: join(user, '.fleet'), userHome: user }
  return serviceOf({ ...place, config: env['XDG_CONFIG_HOME'] })
}
