import { dirname, join } from 'node:path'
import { programIn } from '../domain/fleet/service.ts'
import { isTaken } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { readKeptFile } from '../platform/files/kept-file.ts'
import { realPathOf } from '../platform/files/same-folder.ts'
import { account } from '../platform/runtime/machine.ts'
import { serviceHere } from '../platform/runtime/service-here.ts'
import type { Check } from './check.ts'

export interface ServiceSetting {
  readonly env: NodeJS.ProcessEnv
  /** This fleet, and the Node that runs it. */
  readonly program: { readonly node: string; readonly fleet: string }
  /** Where systemd keeps who may linger. */
  readonly lingering?: string
}

/** The service that starts the supervisor after a reboot. Nothing, where none was installed. */
export function checkService(
  home: Home,
  { env, program, lingering = '/var/lib/systemd/linger' }: ServiceSetting,
): readonly Check[] {
  const service = serviceHere(home, env)
  if (service === undefined) return []
  const name = 'service'
  const { path } = service
  const file = readKeptFile(path)
  if ('text' in file && file.text === null) return []
  const again = 'fleet run install writes it again'
  if (!('text' in file)) return [{ name, state: 'warn', found: `${path} ${file.problem}`, todo: again }]
  const named = programIn(service, file.text ?? '')
  if (named === undefined) return [{ name, state: 'warn', found: `${path} names no fleet`, todo: again }]
  const gone = [named.node, named.fleet].find((each) => realPathOf(each) === undefined)
  if (gone !== undefined) {
    return [{ name, state: 'fail', found: `${path} starts ${gone}, which is not there`, todo: again }]
  }
  if (realPathOf(named.fleet) !== realPathOf(program.fleet)) {
    return [
      { name, state: 'warn', found: `${path} starts another fleet, ${named.fleet}`, todo: `${again} for this one` },
    ]
  }
  if (service.kind === 'launchd') return [{ name, state: 'ok', found: `${path}: it starts at login` }]
  if (!isTaken(join(dirname(path), 'default.target.wants', service.name))) {
    return [{ name, state: 'warn', found: `${path} is not enabled`, todo: `systemctl --user enable ${service.name}` }]
  }
  const user = account().name
  if (isTaken(join(lingering, user))) {
    return [{ name, state: 'ok', found: `${path}: it starts with the machine` }]
  }
  const found = `${path}: it starts at login, and ends when you are logged out everywhere`
  return [{ name, state: 'info', found, todo: `from the start of the machine on: loginctl enable-linger ${user}` }]
}
