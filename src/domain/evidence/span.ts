/** A stretch of time, in milliseconds of the wall clock, as the times of files are. Both ends belong to it. */
export interface Span {
  readonly from: number
  readonly to: number
}

export function touches(one: Span, other: Span): boolean {
  return one.from <= other.to && other.from <= one.to
}

export function touchesAny(spans: readonly Span[], other: Span): boolean {
  return spans.some((span) => touches(span, other))
}

export function widened({ from, to }: Span, by: number): Span {
  return { from: from - by, to: to + by }
}

/** The most spans that are kept of a run: beyond them those with the shortest time between them become one. */
export const MOST_SPANS = 200

/** `spans` are apart from each other, in order; so is the result. */
export function withSpan(spans: readonly Span[], added: Span): readonly Span[] {
  const before = spans.filter((span) => span.to < added.from)
  const after = spans.filter((span) => span.from > added.to)
  const joined = spans.filter((span) => touches(span, added))
  const whole = {
    from: Math.min(added.from, ...joined.map(({ from }) => from)),
    to: Math.max(added.to, ...joined.map(({ to }) => to)),
  }
  return bounded([...before, whole, ...after])
}

function bounded(spans: readonly Span[]): readonly Span[] {
  if (spans.length <= MOST_SPANS) return spans
  const gapAfter = (i: number): number => (spans[i + 1] as Span).from - (spans[i] as Span).to
  let narrowest = 0
  for (let i = 1; i < spans.length - 1; i++) if (gapAfter(i) < gapAfter(narrowest)) narrowest = i
  const joined = { from: (spans[narrowest] as Span).from, to: (spans[narrowest + 1] as Span).to }
  return [...spans.slice(0, narrowest), joined, ...spans.slice(narrowest + 2)]
}
