import { statSync } from 'node:fs'

/** The number of a file or folder on its disk; undefined: there is none. The disk's own number may change with a boot. */
export function inodeOf(path: string): string | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino.toString()
}

/** Whether a file has another name besides this one, by a hard link. */
export function hasOtherNames(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.nlink ?? 0) > 1
}
