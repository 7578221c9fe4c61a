import { join } from 'node:path'
import { coderNames } from '../coders/registry.ts'
import { entryAt, namesIn } from '../platform/files/folder.ts'

/** What a coder of one's own may be called: it is a key, a word on command lines, and the name of a file. */
export function isCoderName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]*$/i.test(name)
}

/** The coders that stand as files in a home's `coders` folder, by name; `x.mjs` before `x.js`. */
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

/** Those whose name is not fleet's own already: a file cannot take the place of a coder that is built in. */
export function fileCoderNames(folder: string): readonly string[] {
  return [...coderFiles(folder).keys()].filter((name) => !coderNames().includes(name))
}
