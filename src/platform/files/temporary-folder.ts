import { lstatSync, mkdtempSync, rmSync } from 'node:fs'
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

/** Whether this is a folder of this user, unchanged since that moment. */
export function isOwnFolder(path: string, before: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && found.ctimeMs < before
}
