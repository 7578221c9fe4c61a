import { redact, SHORTEST_VALUE } from '../text/redact.ts'
import { secretsIn } from './secret-values.ts'
import type { Withholds } from './withholding.ts'

/**
 * The secret values that a supervisor has seen, to be masked in everything it writes. None is ever forgotten: an agent may
 * still hold a value that is no longer in the configuration.
 */
export class KnownSecrets {
  readonly #withholds: Withholds
  /** The longest first, as `redact` wants them. */
  #values: readonly string[] = []

  /** `withholds`: the names whose values are secret. */
  constructor(withholds: Withholds) {
    this.#withholds = withholds
  }

  note(variables: Readonly<Record<string, string | undefined>>): void {
    this.#add(secretsIn(variables, this.#withholds))
  }

  /** Of variables that a person gave to one coder: secret unless they are plainly something else. */
  noteGiven(variables: Readonly<Record<string, string | undefined>>): void {
    this.#add(secretsIn(variables, this.#withholds, { all: true }))
  }

  #add(values: readonly string[]): void {
    const added = new Set(values.filter((value) => value.length >= SHORTEST_VALUE && !this.#values.includes(value)))
    if (added.size > 0) this.#values = [...this.#values, ...added].sort((a, b) => b.length - a.length)
  }

  readonly redact = (text: string): string => redact(text, this.#values)
}
