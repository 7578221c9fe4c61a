import { redact } from '../text/redact.ts'
import { secretsIn } from './environment.ts'

/**
 * The secret values that a supervisor has seen, to be masked in everything it writes. None is ever forgotten: an agent may
 * still hold a value that is no longer in the configuration.
 */
export class KnownSecrets {
  /** The longest first, as `redact` wants them. */
  #values: readonly string[] = []

  note(variables: Readonly<Record<string, string | undefined>>): void {
    const added = secretsIn(variables).filter((value) => !this.#values.includes(value))
    if (added.length > 0) this.#values = [...this.#values, ...added].sort((a, b) => b.length - a.length)
  }

  readonly redact = (text: string): string => redact(text, this.#values)
}
