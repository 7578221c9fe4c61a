import { type HomeStore, openHomeStore } from '../app.ts'
import { policyOf } from '../config/policy.ts'
import type { Config } from '../config/schema.ts'
import { keptAssignment } from '../domain/fleet/assignment.ts'
import { settingsOf } from '../domain/task/settings.ts'
import { pluralize } from '../domain/text/pluralize.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { findProgram } from '../platform/process/program.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { findCoder } from '../store/home-coders.ts'
import type { Check } from './check.ts'

/** The most queued tasks that are looked at, and the most that are named. */
const LOOKED_AT = 1000
const NAMED = 3

/** Coders that queued tasks wait for and that cannot run them here: unknown, not on PATH, or with a lane that is down. */
export async function checkAwaitedCoders(
  home: Home,
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<readonly Check[]> {
  const store = await openIfThere(home)
  if (store === undefined) return []
  await using _store = store
  const checks: Check[] = []
  for (const [coder, tasks] of await queuedBy(store, home, config)) {
    const trouble = await troubleOf(coder, { home, config, env, store })
    if (trouble === undefined) continue
    const more = tasks.length > NAMED ? ' …' : ''
    const found = `${pluralize(tasks.length, 'queued task')} (${tasks.slice(0, NAMED).join(' ')}${more}) for ${coder}: ${trouble.found}`
    checks.push({ name: `tasks for ${coder}`, state: 'warn', found, todo: trouble.todo(tasks[0] ?? '<id>') })
  }
  return checks
}

/** Other checks report a store that cannot be opened. */
async function openIfThere(home: Home): Promise<HomeStore | undefined> {
  try {
    return await openHomeStore(home, { readOnly: true })
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Ids of the queued tasks by the coder that each will get. */
async function queuedBy(store: HomeStore, home: Home, config: Config): Promise<ReadonlyMap<string, string[]>> {
  const { assignment } = policyOf(config, supervisorAlive(home)?.flags ?? {})
  const queued = new Map<string, string[]>()
  for (const { id, metadata } of await store.queue.ready({ limit: LOOKED_AT })) {
    const { coder } = keptAssignment(assignment(settingsOf(metadata)), store.ledger.stateOf(id))
    queued.set(coder.value, [...(queued.get(coder.value) ?? []), id])
  }
  return queued
}

interface Trouble {
  readonly found: string
  todo(task: string): string
}

interface Surroundings {
  readonly home: Home
  readonly config: Config
  readonly env: NodeJS.ProcessEnv
  readonly store: HomeStore
}

async function troubleOf(name: string, { home, config, env, store }: Surroundings): Promise<Trouble | undefined> {
  const another = (task: string): string => `fleet bd update ${task} --coder <name> gives it to another`
  try {
    const coder = await findCoder(name, { home, blocks: config.coders, versionOf: async () => undefined })
    if (coder === undefined) return { found: 'fleet knows no such coder', todo: another }
    if (findProgram(coder.binary, env) === undefined) {
      return { found: `${coder.binary} is not on PATH`, todo: (task) => `install ${coder.binary}; ${another(task)}` }
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { message } = error
    return { found: message, todo: another }
  }
  const lane = store.ledger.lanes().find((each) => each.name === name)
  if (lane?.state !== 'down') return undefined
  return { found: `its lane is down: ${lane.reason ?? 'no reason given'}`, todo: () => 'fix it, then fleet resume' }
}
