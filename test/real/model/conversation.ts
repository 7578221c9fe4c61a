import { says, type Turn } from './turns.ts'

/** What is left to do with a request. */
export type Step =
  | Extract<Turn, { does: 'say' | 'call' | 'hang' | 'break-off' | 'overload' }>
  | { readonly does: 'limit'; readonly resetsAt: number }

/**
 * One task's talk with the model, over all its attempts: the n-th request that is not refused gets the n-th turn, whatever
 * process it comes from.
 */
export class Conversation {
  /** All that the model was told with each request, refused ones too. */
  readonly told: string[] = []
  refused = 0
  /** Of the limit that stands or stood last, in milliseconds. */
  resetsAt: number | undefined
  readonly #turns: readonly Turn[]
  #next = 0
  #goOn: (() => void)[] = []

  constructor(turns: readonly Turn[]) {
    this.#turns = turns
  }

  /** The trouble that stands is over, what is held is answered. */
  goOn(): void {
    const turn = this.#turns[this.#next]
    if (turn?.does === 'overload' || turn?.does === 'limit') this.#next++
    for (const each of this.#goOn.splice(0)) each()
  }

  /** Which of these words the model was not told with its n-th request, from 1: a whole talk is too long to look at. */
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
      // APIs tell it in whole seconds.
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
    await new Promise<void>((resolve) => this.#goOn.push(resolve))
    return await this.#step(told)
  }
}
