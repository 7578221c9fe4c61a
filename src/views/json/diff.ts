import type { DiffRead } from '../diff/read-diff.ts'

export function diffJson(
  { root, since, newFiles, leftOut, onTop, isOfAll, others }: DiffRead,
  diff: string,
): Record<string, unknown> {
  return {
    ...{ schema_version: 1, root, since, diff, new_files: newFiles, left_out: leftOut, on_top: onTop },
    ...{ is_of_all: isOfAll, others },
  }
}
