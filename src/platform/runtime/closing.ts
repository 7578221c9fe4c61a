/** Steps that close what was opened, taken in reverse order: an AsyncDisposableStack, which Node 20 lacks. */
export class Closing implements AsyncDisposable {
  readonly #steps: (() => unknown)[] = []

  add(step: () => unknown): void {
    this.#steps.push(step)
  }

  /** A step that fails keeps none of the others from being taken. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = []
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
}
