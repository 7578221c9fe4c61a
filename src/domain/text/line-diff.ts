/** A line of a difference: removed, added, or left out because it is the same in both. */
export type DiffLine = { readonly kind: '-' | '+' | ' '; readonly text: string }

/** Lines around a change that are shown with it. */
const AROUND = 2
/** Beyond this many pairs of lines, the whole middle is shown as replaced. */
const MOST_PAIRS = 4_000_000

/** The lines in which two texts differ, with some around them; empty: they are the same. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const whole: DiffLine[] = [
    ...same(a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ]
  return whole.filter((_, i) => whole.slice(Math.max(0, i - AROUND), i + AROUND + 1).some(({ kind }) => kind !== ' '))
}

/** As git and diff say it. */
const NO_NEWLINE = '\\ No newline at end of file'

function linesOf(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : [...lines, NO_NEWLINE]
}

function same(lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind: ' ', text }))
}

/** By the longest common subsequence, where that is affordable. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: '-', text }))
  const added = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: '+', text }))
  if (a.length * b.length > MOST_PAIRS) return [...removed(a), ...added(b)]
  const width = b.length + 1
  const longest = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: ' ', text: a[i] ?? '' })
      i++
      j++
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ kind: '-', text: a[i++] ?? '' })
    else lines.push({ kind: '+', text: b[j++] ?? '' })
  }
  return [...lines, ...removed(a.slice(i)), ...added(b.slice(j))]
}
