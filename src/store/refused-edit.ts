import { entryKind } from '../platform/files/agent-file.ts'
import type { Home } from '../platform/files/home.ts'

/** Where a refused edit of task.json is kept. */
export function refusedFile(home: Home, id: string): string {
  return `${home.task(id)}/task.json.refused`
}

/** The last refused edit; undefined: there was none, or a person has removed it. */
export function refusedEdit(home: Home, id: string): string | undefined {
  const file = refusedFile(home, id)
  return entryKind(file) === 'file' ? file : undefined
}
