import { fileStamp } from '../platform/files/files.ts'
import { loadConfig } from './load.ts'
import type { Config } from './schema.ts'

/** The current configuration. After a bad edit it keeps the last good one and reports the problem until it is fixed. */
export class LiveConfig {
  readonly #path: string
  #stamp: string
  #config: Config
  /** The error in the current file, if any. */
  problem: string | undefined

  private constructor(path: string, stamp: string, config: Config) {
    this.#path = path
    this.#stamp = stamp
    this.#config = config
  }

  static async open(path: string): Promise<LiveConfig> {
    const stamp = fileStamp(path)
    return new LiveConfig(path, stamp, (await loadConfig(path)).config)
  }

  get config(): Config {
    return this.#config
  }

  /** Returns true if the configuration or its problem has changed. */
  async refresh(): Promise<boolean> {
    const stamp = fileStamp(this.#path)
    if (stamp === this.#stamp) return false
    this.#stamp = stamp
    try {
      this.#config = (await loadConfig(this.#path)).config
      this.problem = undefined
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error)
    }
    return true
  }
}
