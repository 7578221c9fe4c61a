import type { RefusedEdit } from '../domain/agent/refused-edit.ts'
import type { ChangedFile } from '../domain/fleet/home-file.ts'
import { settingsOf } from '../domain/task/settings.ts'
import { AppError } from '../errors.ts'
import { agentFileStamp, entryKind, putAside } from '../platform/files/agent-file.ts'
import type { Home } from '../platform/files/home.ts'
import type { HomeRecord } from '../platform/sqlite/home-record.ts'
import type { TaskFiles } from '../ports/task-files.ts'
import type { TaskStore } from '../ports/task-store.ts'
import { editMark, isHeldEdit, recordedName, runsAtChange } from './held-edit.ts'
import { refusedFile } from './refused-edit.ts'
import { type Found, isSame, projectTask, readTaskFile, takeInHandEdit, taskFile } from './task-file.ts'

/** Well above the resolution of any file system's clock. */
const COARSE_MS = 1000

export interface HomeTaskFilesOptions {
  readonly store: TaskStore
  readonly by: string
  readonly record: HomeRecord
  now(): number
  /** Called once for each edit that waits for a person. */
  noticed(change: ChangedFile): void
}

/**
 * task.json as a supervisor uses it. `takeInEdit` takes in a person's edit before the run, so any difference from the store
 * after the run is an edit made since. That follows from the file and the store alone, so the next supervisor sees it too.
 */
export function homeTaskFiles(home: Home, { store, by, record, now, noticed }: HomeTaskFilesOptions): TaskFiles {
  /** Spares a busy supervisor reading the file again: the file's stamp at the claim. */
  const stamps = new Map<string, string>()
  const upToDate = (id: string): void => {
    const stamp = agentFileStamp(taskFile(home, id))
    // A change right after a stamp this young could leave the same stamp.
    if (stamp !== undefined && Date.now() - stamp.changedAt > COARSE_MS) stamps.set(id, stamp.text)
    else stamps.delete(id)
  }
  const wasHeldBack = (id: string): void => {
    const change = { path: recordedName(id), noticedAt: now(), runs: runsAtChange(taskFile(home, id), record) }
    const mark = editMark(home, id)
    if (record.noteChange({ path: change.path, mark, at: change.noticedAt, runs: change.runs })) noticed(change)
  }
  const heldBack = (id: string): boolean => isHeldEdit(home, id, record)
  const edits = { store, home, by, heldBack, wasHeldBack, upToDate }
  return {
    takeInEdit: (id) => takeInHandEdit(edits, id),
    async editDuringRun(id) {
      const before = stamps.get(id)
      stamps.delete(id)
      return await editSince(before, { store, home, id })
    },
    async refuseEdit(id) {
      putAside(taskFile(home, id), refusedFile(home, id))
      try {
        const task = await store.get(id)
        if (task !== undefined) projectTask(home, task)
      } catch (error) {
        // The next claim writes the missing file. The end of a run must not wait for a queue that does not answer.
        if (!(error instanceof AppError)) throw error
      }
    },
  }
}

/** undefined: the file is unchanged, or deleted, and then the next claim writes it again. */
async function editSince(
  stamp: string | undefined,
  { store, home, id }: { store: TaskStore; home: Home; id: string },
): Promise<RefusedEdit | undefined> {
  let found: Found | undefined
  try {
    if (stamp !== undefined && agentFileStamp(taskFile(home, id))?.text === stamp) return undefined
    found = readTaskFile(home, id)
  } catch (error) {
    if (error instanceof AppError) return entryKind(taskFile(home, id))
    throw error
  }
  // The file alone nearly always tells; the store is asked only where it does not.
  if (found === undefined || found.untouched) return undefined
  const task = await store.get(id)
  return task === undefined || isSame(found.settings, settingsOf(task.metadata)) ? undefined : 'file'
}
