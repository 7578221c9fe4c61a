import { configTextInForce } from './in-force.ts'
import { type Loaded, loadConfig } from './load.ts'
import type { Config } from './schema.ts'

/** Reads the text in force; throws AppError if it cannot be read. */
export type ReadConfig = () => string | undefined

/** The current configuration. After a bad edit it keeps the last good one and reports the problem until it is fixed. */
export class LiveConfig {
  readonly #path: string
  readonly #read: ReadConfig
  /** The text as it was last looked at, or why it could not be read. */
  #seen: string
  #loaded: Loaded
  /** The error in the current file, if any. */
  problem: string | undefined

  private constructor(path: string, read: ReadConfig, loaded: Loaded) {
    this.#path = path
    this.#read = read
    this.#seen = seenAs(loaded.text)
    this.#loaded = loaded
  }

  static async open(path: string, read: ReadConfig = () => configTextInForce(path)): Promise<LiveConfig> {
    return new LiveConfig(path, read, await loadConfig(path, { text: read() }))
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
    let text: string | undefined
    try {
      text = this.#read()
      if (seenAs(text) === this.#seen) return false
      this.#seen = seenAs(text)
      this.#loaded = await loadConfig(this.#path, { text })
      this.problem = undefined
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem === this.problem) return false
      this.problem = problem
    }
    return true
  }
}

/** No file is not the same as an empty one, for people. */
function seenAs(text: string | undefined): string {
  return text === undefined ? 'none' : `text ${text}`
}
