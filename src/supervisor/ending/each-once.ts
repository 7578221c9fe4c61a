type Step = () => unknown

/** Does the steps in order. Called again after a failure, it begins with the step that failed. */
export function eachOnce(...steps: readonly Step[]): () => Promise<void> {
  let next = 0
  return async () => {
    for (; next < steps.length; next++) await steps[next]?.()
  }
}
