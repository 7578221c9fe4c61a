import { join } from 'node:path'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { lineAt } from '../platform/files/line-at.ts'
import type { Coder } from '../ports/coder.ts'
import { coderOfAttempt } from './attempt-coder.ts'
import { redaction } from './redaction.ts'
import { attemptFolder } from './task-file.ts'

/** A line of events.jsonl that ends a call of a tool. */
export interface EndedCall {
  readonly attempt: number
  /** The offset of its source in the attempt's stdout. */
  readonly at: number
  readonly id: string
}

/** The output of tools, which events.jsonl leaves out: read again from an attempt's stdout, with the coder's parser. */
export class ToolOutputs {
  readonly #home: Home
  readonly #task: string
  readonly #env: NodeJS.ProcessEnv
  #redact: ((text: string) => string) | undefined
  /** undefined: it is being loaded, or there is none. */
  readonly #coders = new Map<number, Coder | undefined>()

  constructor(home: Home, { task, env }: { task: string; env: NodeJS.ProcessEnv }) {
    this.#home = home
    this.#task = task
    this.#env = env
  }

  /** Before the first event of these attempts is shown. */
  async prepare(attempts: readonly number[]): Promise<void> {
    this.#redact = await redaction(this.#home, this.#env)
    await Promise.all(attempts.map((attempt) => this.#load(attempt)))
  }

  /** undefined: it printed nothing, or the output cannot be read. An attempt that began a moment ago is still loaded. */
  of({ attempt, at, id }: EndedCall): string | undefined {
    if (!this.#coders.has(attempt)) void this.#load(attempt)
    const coder = this.#coders.get(attempt)
    if (coder?.outputs === undefined) return undefined
    const line = lineAt(join(attemptFolder(this.#home.task(this.#task), attempt), 'stdout.jsonl'), at)
    const text = coder.outputs(line).find((output) => output.id === id)?.text
    return text === undefined ? undefined : this.#redact?.(text)
  }

  async #load(attempt: number): Promise<void> {
    this.#coders.set(attempt, undefined)
    try {
      const found = await coderOfAttempt(this.#home, { task: this.#task, attempt, env: this.#env })
      this.#coders.set(attempt, found?.coder)
    } catch (error) {
      // A wrong configuration hides the outputs, not the events.
      if (!(error instanceof AppError)) throw error
    }
  }
}
