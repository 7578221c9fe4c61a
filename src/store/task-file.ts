import { isAbsolute } from 'node:path'
import { SETTING_NAMES, settingsOf, type TaskSettings, withSettings } from '../domain/task/settings.ts'
import type { Task } from '../domain/task/task.ts'
import { fingerprint } from '../domain/text/fingerprint.ts'
import { DEPTH_LIMIT, isDeeperThan } from '../domain/text/json-depth.ts'
import { AppError } from '../errors.ts'
import { readAgentFile } from '../platform/files/agent-file.ts'
import { writeProjection } from '../platform/files/files.ts'
import { type Home, privateDirectory } from '../platform/files/home.ts'
import { removeFile } from '../platform/files/paths.ts'
import type { TaskStore } from '../ports/task-store.ts'
import { refusedFile } from './refused-edit.ts'
import { validateCommand } from './validate-command.ts'
import { validateSettings } from './validate-settings.ts'

/**
 * `tasks/<id>/task.json`: what the store says of a task, for people and agents to read. People also edit it, so it
 * carries a digest of the settings it was written with: a file that still matches its digest was not edited by hand.
 * Agents can write it too, and could choose what they are judged by: an edit made during a run is never taken in.
 */
const VERSION = 2
/** An agent could make it huge. */
export const FILE_LIMIT = 1 << 20

export function projectTask(home: Home, task: Pick<Task, 'id' | 'title' | 'metadata'>): void {
  const settings = settingsOf(task.metadata)
  privateDirectory(home.task(task.id), { below: home.path })
  const content = { v: VERSION, id: task.id, title: task.title, ...settings, written: digest(settings) }
  writeProjection(taskFile(home, task.id), `${JSON.stringify(content, undefined, 2)}\n`)
}

/** After the task was deleted. Everything else in its folder stays. */
export function forgetTaskFile(home: Home, id: string): void {
  removeFile(taskFile(home, id))
  removeFile(refusedFile(home, id))
}

/** The inputs for importing edits of task.json. */
export interface HandEdits {
  readonly store: TaskStore
  readonly home: Home
  readonly by: string
  /** Whether an agent is working on the task, or the file was changed while others ran; asked only if it was edited. */
  heldBack(id: string): boolean
  /** Called for an edit that was not taken in. */
  wasHeldBack?(id: string): void
  /** Called for a file that already says what the store says. */
  upToDate?(id: string): void
}

/**
 * Before a claim: takes a person's edit of task.json into the store, or refuses it and changes nothing.
 * A file that is missing or older than the store is written again.
 */
export async function takeInHandEdit(edits: HandEdits, id: string): Promise<Task | undefined> {
  const { task, file } = await readHandEdit(edits, id)
  if (task !== undefined && file === 'stale') projectTask(edits.home, task)
  if (file === 'edited') edits.wasHeldBack?.(id)
  return task
}

export interface AfterEdit {
  readonly task: Task | undefined
  /** `stale`: it differs from the task and must be written again. `edited`: it was edited while agents ran, and has no effect. */
  readonly file: 'current' | 'stale' | 'edited'
}

/** Takes the edit into the store without writing the file. */
export async function readHandEdit({ store, home, by, heldBack, upToDate }: HandEdits, id: string): Promise<AfterEdit> {
  const task = await store.get(id)
  if (task === undefined) return { task, file: 'current' }
  let found: Found | undefined
  try {
    found = readTaskFile(home, id)
  } catch (error) {
    // An agent that writes nonsense into the files of other tasks must not block them.
    if (error instanceof AppError && heldBack(id)) return { task, file: 'edited' }
    throw error
  }
  if (found === undefined) return { task, file: 'stale' }
  const current = settingsOf(task.metadata)
  if (isSame(found.settings, current)) {
    if (found.written !== digest(current) || found.title !== task.title) return { task, file: 'stale' }
    upToDate?.(id)
    return { task, file: 'current' }
  }
  if (found.untouched) return { task, file: 'stale' }
  if (heldBack(id)) return { task, file: 'edited' }
  const change = await validChange(home, id, { from: current, to: found.settings })
  const taken = await store.update(id, { metadata: (metadata) => withSettings(metadata, change) }, by)
  return { task: taken, file: 'stale' }
}

/** The change that a person made in the file and the store does not have; undefined: none. Throws AppError if it is wrong. */
export async function handEditOf(
  home: Home,
  task: Task,
  file = taskFile(home, task.id),
): Promise<TaskSettings | undefined> {
  const found = readTaskFile(home, task.id, file)
  const current = settingsOf(task.metadata)
  if (found === undefined || isSame(found.settings, current) || found.untouched) return undefined
  return await validChange(home, task.id, { from: current, to: found.settings })
}

/** The difference, checked. Throws AppError if a value is wrong. */
async function validChange(
  home: Home,
  id: string,
  { from, to }: { from: TaskSettings; to: TaskSettings },
): Promise<TaskSettings> {
  const file = taskFile(home, id)
  const change = await validateSettings(changed(from, to), { home, from: home.path, where: `${file}: ` })
  await validateCommand({ ...from, ...change }, { home, named: `${file}: command` })
  return change
}

export function isSame(one: TaskSettings, other: TaskSettings): boolean {
  return digestText(one) === digestText(other)
}

/** Only the differences, so that an unchanged directory that was deleted meanwhile does not block a new model. */
function changed(from: TaskSettings, to: TaskSettings): TaskSettings {
  const change: TaskSettings = {}
  for (const name of SETTING_NAMES) if (from[name] !== to[name]) change[name] = to[name] ?? ''
  return change
}

/** The content of the file. */
export interface Found {
  readonly title: unknown
  readonly settings: TaskSettings
  readonly written: unknown
  /** It still says what fleet wrote. */
  readonly untouched: boolean
}

/** undefined: it is missing, or empty after a power cut. Throws AppError if it is no valid task.json. */
export function readTaskFile(home: Home, id: string, file = taskFile(home, id)): Found | undefined {
  const text = readAgentFile(file, FILE_LIMIT)
  return text === '' ? undefined : parse(text, file)
}

function parse(text: string, file: string): Found {
  const refuse = (what: string): AppError =>
    new AppError('failed', `${file} ${what}`, { hint: 'fix it, or delete it: fleet writes it again' })
  let content: Record<string, unknown>
  try {
    content = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw refuse(`is not JSON: ${(error as Error).message}`)
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw refuse('is not a JSON object')
  if (isDeeperThan(content, DEPTH_LIMIT)) throw refuse(`is nested more than ${DEPTH_LIMIT} levels deep`)
  const settings: TaskSettings = {}
  for (const name of SETTING_NAMES) {
    const value = content[name]
    if (value === undefined || value === null || value === '') continue
    if (typeof value !== 'string') throw refuse(`has ${name} ${JSON.stringify(value)}, expected a string`)
    if (name === 'cwd' && !isAbsolute(value) && value !== '~' && !value.startsWith('~/')) {
      throw refuse(`has cwd ${JSON.stringify(value)}, expected an absolute path`)
    }
    settings[name] = value
  }
  const { title, written } = content
  return {
    title,
    settings,
    written,
    // Rarely asked, and not free.
    get untouched() {
      return written === digest(settings) || (content['v'] === 1 && written === firstDigest(settings))
    },
  }
}

/** For files from before version 2. node:crypto is not imported, because that costs every command 8 ms. */
function firstDigest(settings: TaskSettings): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', digestText(settings)).slice(0, 16)
}

function digest(settings: TaskSettings): string {
  return fingerprint(digestText(settings))
}

function digestText(settings: TaskSettings): string {
  const { cwd = '', coder = '', model = '', command, on } = settings
  // A file from before there were commands, or machines, still matches.
  const values = [cwd, coder, model, ...(command === undefined ? [] : [command]), ...(on === undefined ? [] : [{ on }])]
  return JSON.stringify(values)
}

export function taskFile(home: Home, id: string): string {
  return `${home.task(id)}/task.json`
}
