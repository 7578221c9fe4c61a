import { settingsHint } from '../../../domain/agent/refused-edit.ts'
import { withRepository } from '../../../domain/task/repository.ts'
import {
  isObject,
  SETTING_NAMES,
  SETTINGS_KEY,
  type TaskSettings,
  withSettings,
} from '../../../domain/task/settings.ts'
import type { Metadata, Task } from '../../../domain/task/task.ts'
import { checkCommand } from '../../../store/check-command.ts'
import { checkSettings } from '../../../store/check-settings.ts'
import { projectTask, readHandEdit } from '../../../store/task-file.ts'
import type { BdCall } from '../command.ts'
import { handEdits } from './hand-edits.ts'
import { inText, type Refuse } from './issue-input.ts'

/** As much of a call as its settings hang on. */
export type SettingsCall = Pick<BdCall, 'flags' | 'home' | 'cwd' | 'origin'>

/** What a new task remembers. Checked even where nothing was said: the directory may have gone under the shell. */
export async function settingsOfNew(call: SettingsCall, inMetadata: TaskSettings = {}): Promise<TaskSettings> {
  const given = await givenSettings(call, inMetadata)
  await checkCommand({ cwd: call.cwd, ...given }, { home: call.home, named: '--command' })
  if (given.cwd !== undefined && given.cwd !== '') return given
  // As its own task has it: on another machine than the one that recorded it, it may be elsewhere.
  if (call.origin !== undefined) return { ...given, ...(call.origin.cwd === undefined ? {} : { cwd: call.origin.cwd }) }
  return { ...given, ...(await checkSettings({ cwd: call.cwd }, { home: call.home, from: call.cwd })) }
}

/** The same in its metadata, and where many machines share the queue, what else they need to find the directory. */
export async function metadataOfNew(call: BdCall, metadata: Metadata = {}): Promise<Metadata> {
  const settings = await settingsOfNew(call, settingsIn(metadata, inText))
  return (await recordedRepository(call, settings.cwd))(withSettings(metadata, settings))
}

/** Looked up now, written with the rest. */
export async function recordedRepository(call: BdCall, cwd = ''): Promise<(metadata: Metadata) => Metadata> {
  if (call.store.hosts === undefined || cwd === '') return (metadata) => metadata
  const { origin } = call
  // Loaded where it is used: on a queue of one machine nobody pays for it.
  const lookUp = async () => (await import('../../../store/repository.ts')).repositoryAt(cwd, call.env)
  const known = origin !== undefined && origin.cwd === cwd ? origin.repository : await lookUp()
  return (metadata) => withRepository(metadata, known)
}

/** --cwd, --coder, --model and --command as given, or else as they stand in --metadata, checked; only those that were. */
export async function givenSettings(call: SettingsCall, inMetadata: TaskSettings = {}): Promise<TaskSettings> {
  const given: TaskSettings = { ...inMetadata }
  for (const name of SETTING_NAMES) {
    const value = call.flags.text(name)
    if (value !== undefined) given[name] = value
  }
  return await checkSettings(given, { home: call.home, from: call.cwd })
}

/** What --metadata says under fleet's own key; refused where it could not be used later. */
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
 * Before a change that writes task.json anew: what a person changed in it goes into the store, or is refused. false: it
 * was changed while an agent is at work, and is not to be written before the supervisor has looked at it.
 */
export async function keepHandEdit(call: BdCall, id: string): Promise<boolean> {
  const { task, file } = await readHandEdit(handEdits(call), id)
  if (task !== undefined && file === 'stale') project(call, task)
  if (file === 'left') {
    call.warn(
      `warning: ${id}: task.json was changed while an agent is at work on it, so it is not applied; ${settingsHint(id)}`,
    )
  }
  return file !== 'left'
}

/** After the commit. The store is the truth, so a file that cannot be written is a warning and no failure. */
export function project(call: Pick<BdCall, 'home' | 'warn'>, task: Task): void {
  try {
    projectTask(call.home, task)
  } catch (error) {
    call.warn(`warning: ${task.id}: task.json was not written: ${error instanceof Error ? error.message : error}`)
  }
}
