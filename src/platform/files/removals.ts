import { renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { chanceHex } from '../runtime/chance.ts'

/** The beginning of the names of folders that are being removed. */
const GONE = '.gone-'

/**
 * Removes folders in the background: one with many files would hold up everything else. A folder is out of the way at once.
 * Failures are ignored; `isGone` finds what is left.
 */
export class Removals {
  readonly #pending = new Set<Promise<void>>()

  begin(path: string): void {
    const aside = join(dirname(path), `${GONE}${chanceHex(8)}`)
    try {
      renameSync(path, aside)
    } catch {
      // Nothing is there.
      return
    }
    this.finish(aside)
  }

  /** Completes a removal that was begun before. */
  finish(aside: string): void {
    const removal = rm(aside, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
    this.#pending.add(removal)
    void removal.then(() => this.#pending.delete(removal))
  }

  /** When all that was begun until now is over. */
  async done(): Promise<void> {
    await Promise.all(this.#pending)
  }
}

export function isGone(name: string): boolean {
  return name.startsWith(GONE)
}
