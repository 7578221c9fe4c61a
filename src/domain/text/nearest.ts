/** The candidates a person most likely meant, closest first; empty if nothing is close. */
export function nearest(typed: string, candidates: Iterable<string>, most = 3): string[] {
  const limit = Math.max(1, Math.floor(typed.length / 3))
  const close: { text: string; distance: number }[] = []
  for (const text of candidates) {
    if (Math.abs(text.length - typed.length) > limit) continue
    const distance = editDistance(typed, text)
    if (distance <= limit) close.push({ text, distance })
  }
  return close
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map((candidate) => candidate.text)
}

/** Counts insertions, deletions and replacements; swapping two neighbours counts as one. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(replace, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      row.push(cost)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
