import { widthOf } from './width.ts'

/**
 * Lines of at most `width` columns, broken between words; a longer word is broken itself. Blanks between words stay, and a
 * tab becomes blanks, so that its width is known.
 */
export function wrapped(text: string, width: number): string[] {
  const room = Math.max(1, width)
  return text
    .replaceAll('\t', '    ')
    .split('\n')
    .flatMap((line) => wrappedLine(line, room))
}

function wrappedLine(given: string, width: number): string[] {
  // Blanks at the end belong to no word, and each of them would start a search to the end.
  const text = given.trimEnd()
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  // A word with the blanks before it.
  for (const [piece] of text.matchAll(/\s*\S+/g)) {
    if (widthOf(line + piece) <= width) line += piece
    else {
      if (line !== '') lines.push(line)
      const parts = broken(line === '' ? piece : piece.trimStart(), width)
      line = parts.pop() ?? ''
      for (const part of parts) lines.push(part)
    }
  }
  return line === '' ? lines : [...lines, line]
}

/** Pieces of a word that each fit; a character wider than the room stands alone. */
function broken(word: string, width: number): string[] {
  const parts: string[] = []
  let part = ''
  for (const char of word) {
    if (part !== '' && widthOf(part + char) > width) {
      parts.push(part)
      part = ''
    }
    part += char
  }
  return [...parts, part]
}
