import { examineLocalStore } from '../app.ts'
import { withheldFromAgents } from '../coders/withheld-variables.ts'
import { validated } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { KnownSecrets } from '../domain/agent/known-secrets.ts'
import { mapStrings } from '../domain/text/redact.ts'
import { entryAt } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { queueKindOf } from '../queues/registry.ts'
import { checkNamespace, checkProcesses, checkSupervisor, checkUnattended } from './agents.ts'
import { checkAwaitedCoders } from './awaited-coders.ts'
import { type Check, probe } from './check.ts'
import { checkCloseAt, checkVerify } from './close-at.ts'
import { checkOwnCoders } from './coders.ts'
import { checkConfig, checkHome, checkLeftovers, checkPermissions } from './home.ts'
import { checkLogins } from './logins.ts'
import { checkDisk, checkEnvironment, checkMemory, checkOpenFiles } from './machine.ts'
import { checkQueue } from './queue.ts'
import { checkReviewers, reviewersIn } from './reviewers.ts'
import { checkSandbox } from './sandbox.ts'
import { checkService } from './service.ts'
import { checkBackups, checkStore } from './store.ts'
import { checkBd, checkCoders, checkGit, checkNode, checkStarters } from './tools.ts'

/** For a missing home, or a configuration that cannot be read. */
const DEFAULTS = validated({}, { path: 'runtime.toml', fileCoders: [] })

/** Checks everything fleet depends on, and changes nothing. */
export async function examine(home: Home, env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  const isThere = isFolder(home.path)
  const config = isThere ? await checkConfig(home) : undefined
  const settings = config?.loaded?.config
  const inForce = settings ?? DEFAULTS
  const wanted = wantedCoders(settings)
  const except = new Set(Object.keys(inForce.coders).filter((name) => inForce.coders[name]?.command !== undefined))
  const paying = new Set([...wanted, ...reviewersIn(inForce)].filter((name) => !except.has(name)))
  // The store comes last: checking a large one blocks this process, and a program would seem not to answer.
  const tools = await Promise.all([
    probe('node', () => checkNode(process.version)),
    probe('git', () => checkGit(env)),
    probe('shell', () => checkStarters(env)),
    probe('bd', () => checkBd(env, { needed: queueKindOf(settings?.queue ?? '')?.servedBy === 'bd' })),
    probe('coders', () => checkCoders(env, { wanted, except })),
    probe('own coders', () => checkOwnCoders(env, { home, blocks: inForce.coders, wanted })),
    probe('logins', () => checkLogins(env, inForce, paying)),
    probe('close_at', () => checkCloseAt(inForce)),
    probe('verify', () => checkVerify(inForce, env)),
    probe('review_by', () => checkReviewers(inForce, { home, env })),
    probe('unattended', () => checkUnattended(inForce)),
    probe('processes', () => checkProcesses()),
    probe('pid namespace', () => checkNamespace(inForce)),
    probe('sandbox', () => checkSandbox(inForce, env)),
  ])
  const rest = await Promise.all([
    probe('home', () => checkHome(home)),
    ...(isThere ? ofHome(home, env) : []),
    ...(config === undefined ? [] : [probe('config', () => config.check)]),
    ...(settings === undefined ? [] : [probe('queued tasks', () => checkAwaitedCoders(home, settings, env))]),
    probe('disk', () => checkDisk(home.path)),
    probe('memory', () => checkMemory(inForce.max_concurrent)),
    probe('open files', () => checkOpenFiles(inForce.max_concurrent)),
    probe('environment', () => checkEnvironment(env, inForce.env_pass)),
  ])
  // A program that was asked for its version, or a driver, may print anything.
  const secrets = new KnownSecrets(withheldFromAgents())
  secrets.note(env)
  for (const { env: given = {} } of Object.values(inForce.coders)) secrets.noteGiven(given)
  return mapStrings([...tools, ...rest].flat(), secrets.redact)
}

/** The check of the home reports a path that cannot be read. */
function isFolder(path: string): boolean {
  try {
    return entryAt(path)?.kind === 'folder'
  } catch {
    return false
  }
}

function ofHome(home: Home, env: NodeJS.ProcessEnv): Promise<readonly Check[]>[] {
  const health = examineLocalStore(home.store)
  return [
    probe('permissions', () => checkPermissions(home)),
    probe('leftovers', () => checkLeftovers(home)),
    probe('store', () => checkStore(home, health)),
    probe('backups', () => checkBackups(home, health)),
    probe('queue', () => checkQueue(home, env)),
    probe('supervisor', () => checkSupervisor(home)),
    probe('service', () =>
      checkService(home, { env, program: { node: process.execPath, fleet: process.argv[1] ?? '' } }),
    ),
  ]
}

function wantedCoders(config: Config | undefined): ReadonlySet<string> {
  if (config === undefined) return new Set()
  const projects = Object.values(config.projects).flatMap((project) => project.coder ?? [])
  return new Set([config.coder, ...projects])
}
