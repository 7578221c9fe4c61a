import { isAbsolute } from 'node:path'
import { fingerprint } from '../domain/fingerprint.ts'
import { DEPTH_LIMIT, isDeeperThan } from '../domain/json-depth.ts'
import { SETTING_NAMES, settingsOf, type TaskSettings, withSettings } from '../domain/settings.ts'
import type { Task } from '../domain/task.ts'
import { AppError } from '../errors.ts'
import { readAgentFile } from '../platform/agent-file.ts'
import { writeProjection } from '../platform/files.ts'
import { type Home, privateDirectory } from '../platform/home.ts'
import { removeFile } from '../platform/paths.ts'
import type { TaskStore } from '../ports/task-store.ts'
import { checkCommand } from './check-command.ts'
import { checkSettings } from './check-settings.ts'

/**
 * `tasks/<id>/task.json`: what the store says of a task, for people and agents to read. People also edit it, so it
 * carries a digest of the settings it was written with: a file that still matches its digest was not touched by hand.
 */
const VERSION = 2
/** Agents can write it too. */
const FILE_LIMIT = 1 << 20

export function projectTask(home: Home, task: Task): void {
  const settings = settingsOf(task.metadata)
  privateDirectory(home.task(task.id))
  const content = { v: VERSION, id: task.id, title: task.title, ...settings, written: digest(settings) }
  writeProjection(taskFile(home, task.id), `${JSON.stringify(content, undefined, 2)}\n`)
}

/** After the task was deleted. What an agent left in the folder stays. */
export function forgetTaskFile(home: Home, id: string): void {
  removeFile(taskFile(home, id))
}

/**
 * Before a claim: what a person changed in task.json goes into the store, or is refused with nothing changed.
 * A file that is missing or older than the store is written anew.
 */
export async function takeInHandEdit(store: TaskStore, home: Home, id: string, by: string): Promise<Task | undefined> {
  const { task, stale } = await readHandEdit(store, home, id, by)
  if (task !== undefined && stale) projectTask(home, task)
  return task
}

/** The same without the writing: the task as the file should show it, or undefined where it already does. */
export async function storeHandEdit(store: TaskStore, home: Home, id: string, by: string): Promise<Task | undefined> {
  const { task, stale } = await readHandEdit(store, home, id, by)
  return stale ? task : undefined
}

interface AfterEdit {
  readonly task: Task | undefined
  /** Its file says something else. */
  readonly stale: boolean
}

async function readHandEdit(store: TaskStore, home: Home, id: string, by: string): Promise<AfterEdit> {
  const task = await store.get(id)
  if (task === undefined) return { task, stale: false }
  const file = taskFile(home, id)
  const text = readAgentFile(file, FILE_LIMIT)
  // Empty: a power cut came before its content.
  if (text === '') return { task, stale: true }
  const found = parse(text, file)
  const current = settingsOf(task.metadata)
  const is = digest(current)
  const says = digest(found.settings)
  if (says === is) return { task, stale: found.written !== is || found.title !== task.title }
  if (found.untouched) return { task, stale: true }
  const change = await checkSettings(changed(current, found.settings), { home, from: home.path, where: `${file}: ` })
  await checkCommand({ ...current, ...change }, { home, named: `${file}: command` })
  return { task: await store.update(id, { metadata: (metadata) => withSettings(metadata, change) }, by), stale: true }
}

/** Only what differs, so that an unchanged directory that has gone meanwhile does not stand in the way of a new model. */
function changed(from: TaskSettings, to: TaskSettings): TaskSettings {
  const change: TaskSettings = {}
  for (const name of SETTING_NAMES) if (from[name] !== to[name]) change[name] = to[name] ?? ''
  return change
}

interface Found {
  readonly title: unknown
  readonly settings: TaskSettings
  readonly written: unknown
  /** It says what was written. */
  readonly untouched: boolean
}

function parse(text: string, file: string): Found {
  const refuse = (what: string): AppError =>
    new AppError('failed', `${file} ${what}`, { hint: 'put it right, or delete it and it is written anew' })
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
  const untouched = written === digest(settings) || (content['v'] === 1 && written === firstDigest(settings))
  return { title, settings, written, untouched }
}

/** Of files of before version 2. It is not imported, because that costs every command 8 ms. */
function firstDigest(settings: TaskSettings): string {
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', digestText(settings)).slice(0, 16)
}

function digest(settings: TaskSettings): string {
  return fingerprint(digestText(settings))
}

function digestText(settings: TaskSettings): string {
  const { cwd = '', coder = '', model = '', command, on } = settings
  // A file of before there were commands, or machines, still matches.
  const values = [cwd, coder, model, ...(command === undefined ? [] : [command]), ...(on === undefined ? [] : [{ on }])]
  return JSON.stringify(values)
}

function taskFile(home: Home, id: string): string {
  return `${home.task(id)}/task.json`
}
