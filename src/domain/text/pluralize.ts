/** `1 task`, `2 tasks`, `3 dependencies`, `4 processes`. */
export function pluralize(n: number, word: string): string {
  return `${n} ${n === 1 ? word : plural(word)}`
}

function plural(word: string): string {
  if (word.endsWith('y')) return `${word.slice(0, -1)}ies`
  return word.endsWith('s') ? `${word}es` : `${word}s`
}
