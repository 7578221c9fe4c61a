/** The last answer, or a new one once the last is older than that. For questions that are asked more often than needed. */
export function atMostEvery<Answer>(millis: number, ask: () => Answer): () => Answer {
  let last: { readonly answer: Answer; readonly at: number } | undefined
  return () => {
    const now = performance.now()
    if (last === undefined || now - last.at >= millis) last = { answer: ask(), at: now }
    return last.answer
  }
}
