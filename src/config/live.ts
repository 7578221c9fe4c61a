import { fileStamp } from '../platform/files/files.ts'
import { type Loaded, loadConfig } from './load.ts'
import type { Config } from './schema.ts'

/** The current configuration. After a bad edit it keeps the last good one and reports the problem until it is fixed. */
export class LiveConfig {
  readonly #path: string
  #stamp: string
  #loaded: Loaded
  /** The error in the current file, if any. */
  problem: string | undefined

  private constructor(path: string, stamp: string, loaded: Loaded) {
    this.#path = path
    this.#stamp = stamp
    this.#loaded = loaded
  }

  static async open(path: string): Promise<LiveConfig> {
    const stamp = fileStamp(path)
    return new LiveConfig(path, stamp, await loadConfig(path))
  }

  get config(): Config {
    return this.#loaded.config
  }

  /** The settings of the file that are not available yet. */
  get withoutEffect(): readonly string[] {
    return this.#loaded.withoutEffect
  }

  /** Returns true if the configuration or its problem has changed. */
  async refresh(): Promise<boolean> {
    const stamp = fileStamp(this.#path)
    if (stamp === this.#stamp) return false
    this.#stamp = stamp
    try {
      this.#loaded = await loadConfig(this.#path)
      this.problem = undefined
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error)
    }
    return true
  }
}
