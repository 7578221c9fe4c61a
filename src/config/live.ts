import { fileStamp } from '../platform/files/files.ts'
import { loadConfig } from './load.ts'
import type { Config } from './schema.ts'

/** The configuration as it is now. A bad edit keeps the last good one, and says so until it is put right. */
export class LiveConfig {
  readonly #path: string
  #stamp: string
  #config: Config
  /** What is wrong with the file as it stands; undefined: nothing. */
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

  /** True: something has changed, the configuration or what is wrong with it. */
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
