import type { KnownSecrets } from '../domain/agent/known-secrets.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import type { RunFlags } from '../domain/fleet/run-flags.ts'
import { LiveConfig, type ReadConfig } from './live.ts'
import { policyOf } from './policy.ts'
import type { Config } from './schema.ts'

export interface LivePolicyOptions {
  readonly flags?: RunFlags | undefined
  /** Learns the secrets that runtime.toml gives to coders. */
  readonly secrets: KnownSecrets
  /** A supervisor's own way to read the text in force. */
  readonly read?: ReadConfig
}

/** The effect of a changed runtime.toml. */
export type PolicyChange =
  /** `news`: settings without effect that the file did not have before. */
  { readonly kind: 'read'; readonly news: readonly string[] } | { readonly kind: 'wrong'; readonly why: string }

/** The policy of a supervisor, read again whenever runtime.toml changes. A bad edit keeps the last good one. */
export class LivePolicy {
  readonly #file: LiveConfig
  readonly #options: LivePolicyOptions
  readonly #told = new Set<string>()
  #policy: Policy

  private constructor(file: LiveConfig, options: LivePolicyOptions) {
    this.#file = file
    this.#options = options
    this.#policy = this.#read()
  }

  static async open(path: string, options: LivePolicyOptions): Promise<LivePolicy> {
    return new LivePolicy(await LiveConfig.open(path, options.read), options)
  }

  readonly policy = (): Policy => this.#policy

  readonly config = (): Config => this.#file.config

  /** The settings of the file that are not available yet, each told once. */
  newsOfNoEffect(): readonly string[] {
    const news = this.#file.withoutEffect.filter((key) => !this.#told.has(key))
    for (const key of news) this.#told.add(key)
    return news
  }

  /** undefined: the file is as it was. */
  async refresh(): Promise<PolicyChange | undefined> {
    if (!(await this.#file.refresh())) return undefined
    if (this.#file.problem !== undefined) return { kind: 'wrong', why: this.#file.problem }
    this.#policy = this.#read()
    return { kind: 'read', news: this.newsOfNoEffect() }
  }

  #read(): Policy {
    for (const { env = {} } of Object.values(this.#file.config.coders)) this.#options.secrets.noteGiven(env)
    return policyOf(this.#file.config, this.#options.flags)
  }
}
