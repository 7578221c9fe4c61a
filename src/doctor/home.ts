import { dirname, join } from 'node:path'
import { ownQueue } from '../app.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { withoutEffectLine } from '../config/not-yet.ts'
import { entryAt, namesIn } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { foreignHint, ownerOf, ownUid, userNamed } from '../platform/files/owner.ts'
import { type Access, accessIn, canWrite, isReplaceable, unwritable } from '../platform/files/permissions.ts'
import { queueKindOf } from '../queues/registry.ts'
import type { Check } from './check.ts'

const REPAIR = 'fleet init --force repairs them'

export function checkHome(home: Home): Check[] {
  const name = 'home'
  const entry = entryAt(home.path)
  if (entry === undefined) return [{ name, state: 'fail', found: `there is none at ${home.path}`, todo: 'fleet init' }]
  if (entry.kind === 'file') {
    return [
      {
        name,
        state: 'fail',
        found: `${home.path} is not a directory`,
        todo: 'move it away, or point FLEET_HOME elsewhere',
      },
    ]
  }
  if (!canWrite(home.path)) {
    return [
      {
        name,
        state: 'fail',
        found: `${home.path} cannot be written`,
        todo: foreignHint(home.path) ?? 'check its owner and permissions: nothing can be recorded',
      },
    ]
  }
  const problem = unwritable([home.tasks])
  if (problem !== undefined)
    return [{ name, state: 'fail', found: problem, todo: 'check its owner and permissions: no task can be started' }]
  return [{ name, state: 'ok', found: home.path }]
}

/** Whose files these are, and who else can read or change them. */
export function checkPermissions(home: Home): Check[] {
  const { loose, writable, foreign } = accessIn(home.path)
  const checks = [ownership(home, foreign), looseness(home, { loose, writable })]
  if (isReplaceable(home.path)) {
    checks.push({
      name: 'permissions',
      state: 'warn',
      found: `others may put another folder in the place of ${home.path}: its parent can be written by everybody`,
      todo: `chmod o-w ${dirname(home.path)}`,
    })
  }
  return checks
}

/** `sudo fleet` leaves files of root, which this user's fleet cannot use. */
function ownership(home: Home, foreign: readonly string[]): Check {
  const name = 'owner'
  const own = ownUid()
  const uid = ownerOf(home.path)
  const me = own === undefined ? 'you' : userNamed(own)
  const [first] = foreign
  if (own === undefined || uid === undefined || first === undefined) {
    return { name, state: 'ok', found: 'all files of the home are yours' }
  }
  if (uid !== own) {
    const found = `${home.path} belongs to ${userNamed(uid)}, and you are ${me}`
    const todo = `run fleet as ${userNamed(uid)}, use a home of your own (FLEET_HOME), or take it over: sudo chown -R ${me} ${home.path}`
    return { name, state: 'fail', found, todo }
  }
  const owner = userNamed(ownerOf(first) ?? 0)
  const many = foreign.length === 1 ? `${first} belongs` : `${foreign.length} files, such as ${first}, belong`
  const made = owner === 'root' ? ' (a fleet that ran with sudo may have made them)' : ''
  return { name, state: 'fail', found: `${many} to ${owner}${made}`, todo: `sudo chown -R ${me} ${home.path}` }
}

/** Others cannot enter a closed home, so open files inside it matter less. */
function looseness(home: Home, { loose, writable }: Pick<Access, 'loose' | 'writable'>): Check {
  const name = 'permissions'
  if (loose.length === 0) return { name, state: 'ok', found: 'only you can read the home' }
  if (loose.includes(home.path)) {
    const more =
      writable.length === 0
        ? ''
        : `, and change ${writable.length === 1 ? '' : `${writable.length} files, such as `}${writable[0]}`
    return { name, state: 'fail', found: `others may enter ${home.path}${more}`, todo: REPAIR }
  }
  return { name, state: 'warn', found: `${some(loose)} wider than 0700/0600 (the home itself is closed)`, todo: REPAIR }
}

export async function checkConfig(home: Home): Promise<{ check: Check; loaded: Loaded | undefined }> {
  const name = 'config'
  try {
    const loaded = await loadConfig(home.config)
    if (loaded.text === undefined)
      return {
        loaded,
        check: { name, state: 'warn', found: 'no runtime.toml: every setting is at its default', todo: 'fleet init' },
      }
    const { queue } = loaded.config
    const own = ownQueue(home)
    if (queue !== own.name && queueKindOf(queue)?.at === 'home') {
      const found = `queue: runtime.toml says ${queue}, but the tasks of this home are ${own.where}`
      return { loaded, check: { name, state: 'fail', found, todo: `fleet config set queue=${own.name}` } }
    }
    const warning = withoutEffectLine(loaded.withoutEffect)
    if (warning !== undefined)
      return { loaded, check: { name, state: 'warn', found: warning, todo: `remove them from ${home.config}` } }
    return { loaded, check: { name, state: 'ok', found: home.config } }
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return {
      loaded: undefined,
      check: { name, state: 'fail', found, todo: `fix it in ${home.config}, or with fleet config set` },
    }
  }
}

/** Files of a killed command: safe to delete, because a finished file always has another name. */
export function checkLeftovers(home: Home): Check {
  const name = 'leftovers'
  const left = [home.path, home.backups].flatMap((folder) =>
    namesIn(folder)
      .filter((file) => file.endsWith('.tmp'))
      .map((file) => join(folder, file)),
  )
  if (left.length === 0) return { name, state: 'ok', found: 'no unfinished files' }
  return {
    name,
    state: 'warn',
    found: `${some(left)} left by a killed command`,
    todo: `if no fleet is running: rm ${left.slice(0, 3).join(' ')}`,
  }
}

function some(paths: readonly string[]): string {
  return paths.length === 1 ? `${paths[0]} is` : `${paths.length} files, such as ${paths[0]}, are`
}
