import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The entry at a path of a working tree. No link is followed: behind a link, other people's files begin. */
export type Standing = 'nothing' | 'file' | 'folder' | 'behind-a-link'

export function standingBelow(top: string, path: string): Standing {
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    const entry = entryAt(join(top, above))
    if (entry?.isSymbolicLink() === true) return 'behind-a-link'
  }
  const entry = entryAt(join(top, path))
  if (entry === undefined) return 'nothing'
  return entry.isDirectory() ? 'folder' : 'file'
}

/** Removes a file, and the folders above it that it leaves empty. */
export function removeBelow(top: string, path: string): void {
  unlinkSync(join(top, path))
  try {
    for (let above = dirname(path); above !== '.'; above = dirname(above)) rmdirSync(join(top, above))
  } catch {
    // Something else is in it.
  }
}

function entryAt(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // Below a file there is nothing.
    return undefined
  }
}
