/** `1 task`, `2 tasks`, `3 dependencies`. */
export function counted(n: number, word: string): string {
  if (n === 1) return `1 ${word}`
  return `${n} ${word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`}`
}
