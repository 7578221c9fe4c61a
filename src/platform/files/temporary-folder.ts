import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explainFile } from './files.ts'

/** A new private folder in the system's temporary directory. */
export function temporaryFolder(prefix: string): string {
  const base = join(tmpdir(), prefix)
  try {
    return mkdtempSync(base)
  } catch (error) {
    throw explainFile(error, base)
  }
}

/** Removes a folder with its contents. Ignores failures: the system cleans up the rest. */
export function discardFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // Nothing depends on the removal.
  }
}

/** The same for a folder that may hold many files: nothing else waits for it. */
export async function discardLarge(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}

/** Folders of this user with such names in the temporary directory that were last changed before that moment. */
export function leftFolders(prefixes: readonly string[], before: number): string[] {
  const named = readdirSync(tmpdir()).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
  return named.map((name) => join(tmpdir(), name)).filter((path) => isOwn(path, before))
}

function isOwn(path: string, before: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && found.ctimeMs < before
}
