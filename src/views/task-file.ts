import { join } from 'node:path'
import { openQueue } from '../app.ts'
import { AppError } from '../errors.ts'
import { readAgentText } from '../platform/files/agent-file.ts'
import { entryAt, namesIn } from '../platform/files/folder.ts'
import { openReading } from '../platform/files/follow.ts'
import type { Home } from '../platform/files/home.ts'
import { findTask } from './find-task.ts'
import { TASK_FILES, type TaskFile, type TaskFileName } from './task-files.ts'

export interface FileWish {
  /** An id, an id without its prefix, or the beginning of one. */
  readonly task: string
  readonly name: TaskFileName
  /** undefined: the newest. */
  readonly attempt: number | undefined
  /** The file, and the attempt, may still have to be made. */
  readonly mayBeMissing?: boolean
}

export interface LocatedFile {
  readonly task: string
  readonly name: TaskFileName
  /** Where it is now: with the next attempt it may be another. */
  path(): string
}

/** Finds a file of a task. Refuses a task that was never started, and an attempt that does not exist. */
export async function locateTaskFile(
  home: Home,
  { task: text, name, attempt, mayBeMissing = false }: FileWish,
): Promise<LocatedFile> {
  const { id, folder } = await folderOf(home, text)
  const file: TaskFile = TASK_FILES[name]
  if ((file.of === 'attempt' || attempt !== undefined) && !mayBeMissing) mustHave(id, name, { folder, attempt })
  const path = () =>
    file.of === 'task'
      ? join(folder, file.path)
      : join(attemptFolder(folder, attempt ?? attemptsOf(folder).at(-1) ?? 1), file.path)
  return { task: id, name, path }
}

export interface FileText {
  readonly task: string
  readonly name: TaskFileName
  readonly path: string
  readonly text: string
}

/** One JSON document holds it, so the reader's memory does, too. */
const MOST_IN_JSON = 1 << 26

export function taskFileText(file: LocatedFile): FileText {
  const path = file.path()
  const text = readAgentText(path, MOST_IN_JSON) ?? packedText(path)
  if (text === undefined) throw missingFile(file)
  return { task: file.task, name: file.name, path, text }
}

/** Of output that `fleet gc` has compressed. */
function packedText(path: string): string | undefined {
  using file = openReading(path)
  return file?.piece(0, file.size).toString('utf8')
}

export function missingFile({ task, name, path }: LocatedFile): AppError {
  return new AppError('not-found', `${task} has no ${name}: ${path()} does not exist`, { hint: TASK_FILES[name].made })
}

export function exists(path: string): boolean {
  return entryAt(path) !== undefined
}

/** Whether a line of events.jsonl, which has those of all attempts, belongs to this one. */
export function isOfAttempt(line: string, attempt: number): boolean {
  try {
    return (JSON.parse(line) as { attempt?: unknown } | null)?.attempt === attempt
  } catch {
    return false
  }
}

export function attemptFolder(taskFolder: string, attempt: number): string {
  return join(taskFolder, 'attempts', String(attempt))
}

export async function folderOf(home: Home, text: string): Promise<{ id: string; folder: string }> {
  await using store = await openQueue(home, { readOnly: true })
  const { id } = await findTask(store, text)
  return { id, folder: home.task(id) }
}

/** The attempts that have a folder, oldest first. */
export function attemptsOf(taskFolder: string): number[] {
  return namesIn(join(taskFolder, 'attempts'))
    .filter((name) => /^[1-9]\d{0,8}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

export function mustHave(id: string, name: string, at: { folder: string; attempt: number | undefined }): void {
  const attempts = attemptsOf(at.folder)
  if (attempts.length === 0) {
    throw new AppError('not-found', `${id} was never started, so it has no ${name}`, {
      hint: `fleet show ${id} says why it is not running`,
    })
  }
  if (at.attempt === undefined || attempts.includes(at.attempt)) return
  throw new AppError('not-found', `${id} has no attempt ${at.attempt}`, {
    hint: attempts.length === 1 ? `there is only attempt ${attempts[0]}` : `there are attempts ${attempts.join(', ')}`,
  })
}
