import { madeWhileAgentsRan } from '../domain/fleet/home-file.ts'
import { fingerprint } from '../domain/text/fingerprint.ts'
import { AppError } from '../errors.ts'
import { changedTimes, readAgentFile } from '../platform/files/agent-file.ts'
import type { Home } from '../platform/files/home.ts'
import type { HomeRecord } from '../platform/sqlite/home-record.ts'
import { FILE_LIMIT, taskFile } from './task-file.ts'

/** The name of a task's file in the record of the home's files. */
export function recordedName(id: string): string {
  return `tasks/${id}/task.json`
}

/** The same for its questions and answers. */
export function recordedQuestions(id: string): string {
  return `tasks/${id}/artifacts/Q&A.md`
}

/** Whether task.json was changed while agents ran, so that an edit in it may be that of another task's agent. */
export function isHeldEdit(home: Home, id: string, record: HomeRecord): boolean {
  return isHeld({ name: recordedName(id), path: taskFile(home, id) }, record)
}

/**
 * Whether a file of a task was changed while agents ran. The time of modification counts too, which an agent can set: a
 * backup or a chmod moves the other one.
 */
export function isHeld({ name, path }: { name: string; path: string }, record: HomeRecord): boolean {
  if (record.isPending(name)) return true
  return changedTimes(path).some((time) => madeWhileAgentsRan(time, record.exposuresAt(time)))
}

/** The runs that were alive when the file was changed. */
export function runsAtChange(path: string, record: HomeRecord): readonly string[] {
  const [changedAt] = changedTimes(path)
  return changedAt === undefined ? [] : record.runsAt(changedAt)
}

/** Tells one edit from another. */
export function editMark(home: Home, id: string): string {
  try {
    return fingerprint(readAgentFile(taskFile(home, id), FILE_LIMIT))
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
