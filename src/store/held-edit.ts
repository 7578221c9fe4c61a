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

/**
 * Whether task.json was changed while agents ran, so that an edit in it may be that of another task's agent. The time of
 * modification counts too, which an agent can set: a backup or a chmod moves the other one.
 */
export function isHeldEdit(home: Home, id: string, record: HomeRecord): boolean {
  if (record.isPending(recordedName(id))) return true
  return changedTimes(taskFile(home, id)).some((time) => madeWhileAgentsRan(time, record.exposuresAt(time)))
}

/** The runs that were alive when the file was changed. */
export function runsAtEdit(home: Home, id: string, record: HomeRecord): readonly string[] {
  const [changedAt] = changedTimes(taskFile(home, id))
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
