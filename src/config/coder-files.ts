import { join } from 'node:path'
import { coderNames } from '../coders/registry.ts'
import { entryAt, namesIn } from '../platform/files/folder.ts'

/** The name of a user's coder is a key, an argument and a file name. */
export function isCoderName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]*$/i.test(name)
}

/** The files in a home's `coders` folder by coder name; `x.mjs` before `x.js`. */
export function coderFiles(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  if (entryAt(folder)?.kind !== 'folder') return files
  const found = namesIn(folder).sort()
  for (const ending of ['.js', '.mjs']) {
    for (const file of found) {
      const name = file.slice(0, -ending.length)
      if (file.endsWith(ending) && isCoderName(name)) files.set(name, join(folder, file))
    }
  }
  return files
}

/** The coders of those files. A file cannot replace a built-in coder. */
export function fileCoderNames(folder: string): readonly string[] {
  return [...coderFiles(folder).keys()].filter((name) => !coderNames().includes(name))
}
