import type { DiffRead } from '../diff.ts'

export function diffJson(
  { root, since, newFiles, leftOut, isOfAll, others }: DiffRead,
  diff: string,
): Record<string, unknown> {
  return { schema_version: 1, root, since, diff, new_files: newFiles, left_out: leftOut, is_of_all: isOfAll, others }
}
