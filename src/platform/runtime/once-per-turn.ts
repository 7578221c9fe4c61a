/** Works at most once in a turn of the event loop: everyone who asks in the same turn gets the same answer. */
export function oncePerTurn<T>(work: () => T): () => T {
  let answer: { readonly value: T } | undefined
  return () => {
    if (answer === undefined) {
      answer = { value: work() }
      setImmediate(() => {
        answer = undefined
      })
    }
    return answer.value
  }
}
