import { entryKind } from '../platform/files/agent-file.ts'
import type { Home } from '../platform/files/home.ts'

/** Where what was changed in task.json is kept when it is not taken in. */
export function refusedFile(home: Home, id: string): string {
  return `${home.task(id)}/task.json.refused`
}

/** The last one; undefined: there was none, or a person has seen it and taken it away. */
export function refusedEdit(home: Home, id: string): string | undefined {
  const file = refusedFile(home, id)
  return entryKind(file) === 'file' ? file : undefined
}
