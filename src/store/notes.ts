import { type Note, newestNotes } from '../domain/agent/note.ts'
import { readEnd } from '../platform/files/attempt-folder.ts'
import type { Home } from '../platform/files/home.ts'

/** Enough for the newest few notes: a letter is at most a quarter of this. */
const LOOK_BACK = 1 << 18

/** The newest notes of a task's agents to people, oldest first. */
export function notesOf(home: Home, task: string, { most }: { most: number }): readonly Note[] {
  return newestNotes(readEnd(`${home.task(task)}/log.jsonl`, LOOK_BACK) ?? '', most)
}
