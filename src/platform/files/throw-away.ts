import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explainFile } from './files.ts'

/** A new folder for its owner alone, where temporary things go on this machine. */
export function throwAwayFolder(prefix: string): string {
  const base = join(tmpdir(), prefix)
  try {
    return mkdtempSync(base)
  } catch (error) {
    throw explainFile(error, base)
  }
}

/** With all that is in it. What cannot be removed stays for the system to clean up. */
export function throwAway(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // Nothing depends on it.
  }
}
