import type { CallBounds } from '../scope/judge-call.ts'
import { pointsAtRepository } from './git-environment.ts'
import { FLEET_COMMAND, HOOK_BOUNDS, HOOK_CHECK, HOOK_FOLDER } from './hook.ts'
import { LETTER_KEY } from './letter-key-name.ts'
import type { Withholds } from './withholding.ts'

export interface AgentPlace {
  readonly home: string
  readonly taskId: string
  readonly taskDir: string
  readonly artifactDir: string
  readonly runId: string
  /** Signs its letters; absent: nothing does, as in tests. */
  readonly letterSecret?: string | undefined
  /** Its folder of orders and the key that checks them; absent: its coder has no hooks. */
  readonly hooks?: HookPlace | undefined
  /** The folder of the `fleet` command. It comes first on PATH, so that an agent calls the fleet that runs it. */
  readonly binFolder: string
  /** The attempt's folder for temporary files. */
  readonly tmp: string
  /** Variables of the coder or the lane. They override inherited variables, never those that fleet sets. */
  readonly extra: Readonly<Record<string, string>>
}

export interface HookPlace {
  readonly folder: string
  readonly check: string
  /** Absent: the run has no scope. */
  readonly bounds?: CallBounds | undefined
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The part of the supervisor's environment that every agent inherits. */
export function inheritedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  withholds: Withholds,
): Readonly<Record<string, string>> {
  const inherited: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || belongsToSupervisor(name)) continue
    const withheld = withholds(name, value)
    const given = withheld === undefined ? value : withheld.instead
    if (given !== undefined) inherited[name] = given
  }
  return inherited
}

/** The whole environment of an agent's process. */
export function agentEnvironment(
  inherited: Readonly<Record<string, string>>,
  place: AgentPlace,
): Record<string, string> {
  const { extra } = place
  return {
    ...inherited,
    ...extra,
    PATH: `${place.binFolder}:${extra['PATH'] || inherited['PATH'] || DEFAULT_PATH}`,
    TMPDIR: place.tmp,
    FLEET_HOME: place.home,
    FLEET_TASK_ID: place.taskId,
    FLEET_TASK_DIR: place.taskDir,
    FLEET_ARTIFACT_DIR: place.artifactDir,
    FLEET_RUN_ID: place.runId,
    ...(place.letterSecret !== undefined && { [LETTER_KEY]: place.letterSecret }),
    ...(place.hooks !== undefined && {
      [HOOK_FOLDER]: place.hooks.folder,
      [HOOK_CHECK]: place.hooks.check,
      ...(place.hooks.bounds !== undefined && { [HOOK_BOUNDS]: JSON.stringify(place.hooks.bounds) }),
      [FLEET_COMMAND]: `${place.binFolder}/fleet`,
    }),
  }
}

/**
 * The whole environment of a command of the project. It runs what an agent has written, so commands of fleet that it calls
 * must be known as calls from inside that run: the three variables say so.
 */
export function projectEnvironment(
  inherited: Readonly<Record<string, string>>,
  { id, task, taskDir, portBase }: { id: string; task: string; taskDir: string; portBase?: number | undefined },
): Record<string, string> {
  const PATH = inherited['PATH'] || DEFAULT_PATH
  const ports = portBase === undefined ? {} : { FLEET_PORT_BASE: String(portBase) }
  return { ...inherited, PATH, ...ports, FLEET_TASK_ID: task, FLEET_TASK_DIR: taskDir, FLEET_RUN_ID: id }
}

/**
 * The person's actor and output format (BD_ACTOR, BD_JSON) must not become the agent's. A supervisor started from a git hook
 * must not send every agent's git to the repository of that hook.
 */
function belongsToSupervisor(name: string): boolean {
  return /^(?:FLEET|BD|BEADS)_/.test(name) || pointsAtRepository(name)
}
