import { says, type Turn } from './turns.ts'

/** The server's reply to one request. */
export type Step =
  | Extract<Turn, { does: 'say' | 'call' | 'hang' | 'break-off' | 'overload' }>
  | { readonly does: 'limit'; readonly resetsAt: number }

/**
 * One task's requests to the model, over all its attempts: the n-th request that is not refused gets the n-th turn,
 * whichever process sends it.
 */
export class Conversation {
  /** The text of each request, including refused ones. */
  readonly told: string[] = []
  refused = 0
  /** The reset of the latest limit, in milliseconds. */
  resetsAt: number | undefined
  readonly #turns: readonly Turn[]
  #next = 0
  #held: (() => void)[] = []

  constructor(turns: readonly Turn[]) {
    this.#turns = turns
  }

  /** Ends the current limit or overload, and answers held requests. */
  proceed(): void {
    const turn = this.#turns[this.#next]
    if (turn?.does === 'overload' || turn?.does === 'limit') this.#next++
    for (const each of this.#held.splice(0)) each()
  }

  /** Which of these words the n-th request (from 1) does not contain. Shorter to print than the whole request. */
  lacks(request: number, ...words: readonly string[]): readonly string[] {
    const told = this.told[request - 1] ?? ''
    return words.filter((each) => !told.includes(each))
  }

  async take(told: string): Promise<Step> {
    this.told.push(told)
    return await this.#step(told)
  }

  async #step(told: string): Promise<Step> {
    const turn = this.#turns[this.#next] ?? says('There is nothing more to do.')
    if (turn.does === 'overload') {
      this.refused++
      return turn
    }
    if (turn.does === 'limit') {
      // APIs report whole seconds.
      this.resetsAt ??= Math.ceil(Date.now() / 1000 + turn.seconds) * 1000
      if (Date.now() < this.resetsAt) {
        this.refused++
        return { does: 'limit', resetsAt: this.resetsAt }
      }
      this.#next++
      return await this.#step(told)
    }
    if (turn.does === 'hang' && turn.until !== undefined) {
      if (!told.includes(turn.until)) return turn
      this.#next++
      return await this.#step(told)
    }
    this.#next++
    if (turn.does !== 'hold') return turn
    await new Promise<void>((resolve) => this.#held.push(resolve))
    return await this.#step(told)
  }
}
