import type { FileText } from '../task-file.ts'

export function taskFileJson({ task, name, path, text }: FileText): Record<string, unknown> {
  return { schema_version: 1, task, file: name, path, text }
}
