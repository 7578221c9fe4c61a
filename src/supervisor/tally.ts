/** What became of the tasks of this supervisor, for its last words. A task counts once, as it stands last. */
export class Tally {
  readonly #last = new Map<string, 'closed' | 'blocked'>()

  closed(task: string): void {
    this.#last.set(task, 'closed')
  }

  blocked(task: string): void {
    this.#last.set(task, 'blocked')
  }

  get done(): number {
    return this.#those('closed').length
  }

  /** `more`: tasks that wait blocked, though nothing was counted for them yet. */
  blockedWith(more: readonly string[]): number {
    return new Set([...this.#those('blocked'), ...more]).size
  }

  #those(what: 'closed' | 'blocked'): readonly string[] {
    return [...this.#last].flatMap(([task, last]) => (last === what ? [task] : []))
  }
}
