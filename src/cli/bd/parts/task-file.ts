import { settingsHint } from '../../../domain/agent/refused-edit.ts'
import { withBranch } from '../../../domain/task/branch.ts'
import { withRepository } from '../../../domain/task/repository.ts'
import {
  flagOf,
  isObject,
  SETTING_NAMES,
  SETTINGS_KEY,
  type TaskSettings,
  withSettings,
} from '../../../domain/task/settings.ts'
import type { Metadata, Task } from '../../../domain/task/task.ts'
import { projectTask, readHandEdit } from '../../../store/task-file.ts'
import { validateCommand } from '../../../store/validate-command.ts'
import { validateSettings } from '../../../store/validate-settings.ts'
import type { BdCall } from '../command.ts'
import { handEdits } from './hand-edits.ts'
import { inText, type Refuse } from './issue-input.ts'

/** The parts of a call that determine the settings. */
export type SettingsCall = Pick<BdCall, 'flags' | 'home' | 'cwd' | 'origin'>

/** The settings of a new task. The directory is checked even by default: it may have been deleted under the shell. */
export async function settingsOfNew(call: SettingsCall, inMetadata: TaskSettings = {}): Promise<TaskSettings> {
  const given = await givenSettings(call, inMetadata)
  await validateCommand({ cwd: call.cwd, ...given }, { home: call.home, named: '--command' })
  if (given.cwd !== undefined && given.cwd !== '') return { ...given, ...boundsOf(call.origin) }
  // Use the recorded directory of the agent's own task: on this machine the checkout may be elsewhere.
  if (call.origin !== undefined) return { ...given, ...call.origin.settings }
  return { ...given, ...(await validateSettings({ cwd: call.cwd }, { home: call.home, from: call.cwd })) }
}

/** Where the task of an agent may write, its tasks may write too, and nowhere else. */
function boundsOf(origin: SettingsCall['origin']): TaskSettings {
  const { scope, read_only, sandbox } = origin?.settings ?? {}
  return {
    ...(scope !== undefined && { scope }),
    ...(read_only !== undefined && { read_only }),
    ...(sandbox !== undefined && { sandbox }),
  }
}

/** The settings as metadata, with the branch that is checked out there. On a shared queue it also records how other machines find the directory. */
export async function metadataOfNew(call: BdCall, metadata: Metadata = {}): Promise<Metadata> {
  const settings = await settingsOfNew(call, settingsIn(metadata, inText))
  return (await recordedRepository(call, settings.cwd))(withSettings(metadata, settings))
}

/** Looked up now, written in the same transaction as the task. */
export async function recordedRepository(call: BdCall, cwd = ''): Promise<(metadata: Metadata) => Metadata> {
  if (cwd === '') return (metadata) => metadata
  const branch = (await import('../../../store/branch.ts')).branchAt(cwd)
  if (call.store.hosts === undefined) return (metadata) => withBranch(metadata, branch)
  const { origin } = call
  // Loaded lazily: a queue of one machine does not need it.
  const lookUp = async () => (await import('../../../store/repository.ts')).repositoryAt(cwd, call.env)
  const known = origin !== undefined && origin.cwd === cwd ? origin.repository : await lookUp()
  return (metadata) => withBranch(withRepository(metadata, known), branch)
}

/** Of these every flag counts, and of the others the last. */
const LISTS: ReadonlySet<string> = new Set(['lock', 'scope'])

/** The given ones of --cwd, --coder, --model and --command, checked; --metadata is the fallback. */
export async function givenSettings(call: SettingsCall, inMetadata: TaskSettings = {}): Promise<TaskSettings> {
  const given: TaskSettings = { ...inMetadata }
  for (const name of SETTING_NAMES) {
    const values = call.flags.all(flagOf(name))
    const value = LISTS.has(name) ? values.join(',') : values.at(-1)
    if (values.length > 0) given[name] = value ?? ''
  }
  return await validateSettings(given, { home: call.home, from: call.cwd })
}

/** The settings in --metadata under fleet's key. Refuses values that could not be used later. */
export function settingsIn(metadata: Metadata, refuse: Refuse): TaskSettings {
  if (!Object.hasOwn(metadata, SETTINGS_KEY)) return {}
  const given = metadata[SETTINGS_KEY]
  if (!isObject(given)) {
    throw refuse(
      `--metadata has ${SETTINGS_KEY} ${JSON.stringify(given)}, expected an object with ${SETTING_NAMES.join(', ')}`,
    )
  }
  const settings: TaskSettings = {}
  for (const name of SETTING_NAMES) {
    const value = given[name]
    if (value === undefined) continue
    if (typeof value !== 'string') {
      throw refuse(`--metadata has ${SETTINGS_KEY}.${name} ${JSON.stringify(value)}, expected a string`)
    }
    settings[name] = value
  }
  return settings
}

/**
 * Before a change that rewrites task.json: a hand edit is imported into the store, or refused. false: the file changed
 * while an agent runs, so it must not be rewritten before the supervisor has checked it.
 */
export async function keepHandEdit(call: BdCall, id: string): Promise<boolean> {
  const { task, file } = await readHandEdit(handEdits(call), id)
  if (task !== undefined && file === 'stale') project(call, task)
  if (file === 'edited') {
    call.warn(
      `warning: ${id}: task.json was changed while agents ran, so it is not applied: fleet task ${id} accept | revert; ${settingsHint(id)}`,
    )
  }
  return file !== 'edited'
}

/** After the commit. The store is the truth, so a write error is only a warning. */
export function project(call: Pick<BdCall, 'home' | 'warn'>, task: Task): void {
  try {
    projectTask(call.home, task)
  } catch (error) {
    call.warn(`warning: ${task.id}: task.json was not written: ${error instanceof Error ? error.message : error}`)
  }
}
