/**
 * How many columns of a terminal a text takes. Where terminals differ (joined emoji) it is the larger figure: a table
 * that is one column short of the edge is whole, one that is too wide breaks.
 */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length
  let width = 0
  for (const [, columns] of charactersOf(text)) width += columns
  return width
}

/** The text where it fits, otherwise its beginning and an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let left = width - 1
  for (const [char, columns] of charactersOf(text)) {
    left -= columns
    if (left < 0) break
    kept += char
  }
  return width <= 0 ? '' : `${kept}…`
}

export function pad(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return side === 'left' ? space + text : text + space
}

function* charactersOf(text: string): Iterable<readonly [char: string, columns: number]> {
  let last = 0
  for (const char of text) {
    // The emoji selector makes a narrow character wide.
    last = char === '\ufe0f' ? Math.max(0, 2 - last) : columnsOf(char)
    yield [char, last]
  }
}

function columnsOf(char: string): number {
  if (WIDE.test(char)) return 2
  return NOTHING.test(char) ? 0 : 1
}

const NARROW = /^[\x20-\x7e]*$/
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u
