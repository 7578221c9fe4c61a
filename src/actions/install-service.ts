import { dirname, join } from 'node:path'
import {
  commandsFor,
  type Service,
  type ServiceCommand,
  type ServiceCommands,
  serviceText,
  unusablePath,
} from '../domain/fleet/service.ts'
import { AppError } from '../errors.ts'
import { AtomicFile } from '../platform/files/files.ts'
import { makeFolder, remove } from '../platform/files/folder.ts'
import { type Home, privateDirectory } from '../platform/files/home.ts'
import { readKeptFile } from '../platform/files/kept-file.ts'
import { exec, whyNotEnded } from '../platform/process/exec.ts'
import { findProgram } from '../platform/process/program.ts'
import { account } from '../platform/runtime/machine.ts'
import { serviceHere } from '../platform/runtime/service-here.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { SupervisorSetting } from './with-supervisor.ts'

/** A service of the user's session manager that starts the supervisor, before it is written. */
export interface PlannedService {
  readonly service: Service
  readonly text: string
  /** The file is there already, and says the same. */
  readonly isWritten: boolean
  readonly commands: ServiceCommands
}

/** Writes nothing. Throws AppError where no service can be made. */
export function planService({ home, env, program }: SupervisorSetting): PlannedService {
  const service = known(home, env)
  const output = join(home.logging, 'supervisor.out')
  const facts = { ...program, home: home.path, path: env['PATH'] ?? '', output }
  const wrong = unusablePath([facts.node, facts.fleet, facts.home, output])
  if (wrong !== undefined) {
    throw new AppError('unsupported', `a service cannot name the path ${JSON.stringify(wrong)}`, {
      hint: 'it must be absolute, without line breaks',
    })
  }
  const text = serviceText(service, facts)
  const found = readKeptFile(service.path)
  const isRunning = supervisorAlive(home) !== undefined
  const commands = commandsFor(service, { uid: account().uid, isRunning })
  return { service, text, isWritten: 'text' in found && found.text === text, commands }
}

export interface DoneService {
  readonly service: Service
  /** Whose it is. */
  readonly user: string
  /** A command that did not go well, and why; undefined: all did. */
  readonly problem: string | undefined
}

export async function installService(setting: SupervisorSetting, planned: PlannedService): Promise<DoneService> {
  const { service, text, commands } = planned
  const { home, env } = setting
  privateDirectory(home.logging, { below: home.path })
  const isLoaded = commands.isLoaded !== undefined && (await runAll([commands.isLoaded], env)) === undefined
  if (isLoaded && planned.isWritten) return { service, user: account().name, problem: undefined }
  if (isLoaded) await runAll(commands.uninstall, env)
  if (!planned.isWritten) {
    makeFolder(dirname(service.path))
    using file = new AtomicFile(service.path, 0o644)
    file.write(text)
    file.commit()
  }
  return { service, user: account().name, problem: await runAll(commands.install, env) }
}

/** undefined: none was installed. */
export async function uninstallService({ home, env }: SupervisorSetting): Promise<DoneService | undefined> {
  const service = known(home, env)
  const found = readKeptFile(service.path)
  if ('text' in found && found.text === null) return undefined
  const { uninstall, after } = commandsFor(service, { uid: account().uid, isRunning: true })
  const before = await runAll(uninstall, env)
  remove(service.path)
  return { service, user: account().name, problem: before ?? (await runAll(after, env)) }
}

function known(home: Home, env: NodeJS.ProcessEnv): Service {
  const service = serviceHere(home, env)
  if (service !== undefined) return service
  throw new AppError('unsupported', `fleet knows no service manager of ${process.platform}`, {
    hint: 'start it with fleet run start from whatever starts programs there',
  })
}

const TIMEOUT_MS = 30_000

/** The first failure ends them. */
async function runAll(commands: readonly ServiceCommand[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const [name = '', ...argv] of commands) {
    const told = [name, ...argv].join(' ')
    const program = findProgram(name, env)
    if (program === undefined) return `${name} is not on PATH, so this is left to you: ${told}`
    const run = await exec(program, { argv, env, timeoutMs: TIMEOUT_MS })
    if (run.kind !== 'ended') return `${told}: ${whyNotEnded(run)}`
    if (run.code !== 0) return `${told}: ${run.err.trim().split('\n')[0] || `exit ${run.code}`}`
  }
  return undefined
}
