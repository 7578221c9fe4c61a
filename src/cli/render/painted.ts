import { plainLine } from '../../domain/text/plain.ts'

/** A piece of a line. The text may come from anywhere: painting makes it safe for a terminal. */
export interface Span {
  readonly text: string
  readonly style?: Style
}

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red'

export type Line = readonly Span[]

/** Text that is safe for a terminal although it holds escapes: they are our own. Only `painted` makes it. */
export interface Painted {
  readonly painted: string
}

export function painted(lines: readonly Line[], { colour }: { colour: boolean }): Painted {
  const span = ({ text, style }: Span): string => {
    const safe = plainLine(text)
    return colour && style !== undefined && safe !== '' ? `\u001b[${CODES[style]}m${safe}\u001b[0m` : safe
  }
  return { painted: lines.map((line) => `${line.map(span).join('')}\n`).join('') }
}

/** The next frame of a picture that is drawn over and over, from the first row of the terminal on. */
export function frame({ painted: text }: Painted): Painted {
  const [home, eraseLine, eraseBelow] = ['\u001b[H', '\u001b[K', '\u001b[J']
  return { painted: `${home}${text.replaceAll('\n', `${eraseLine}\n`)}${eraseBelow}` }
}

const CODES: Record<Style, number> = { bold: 1, dim: 2, green: 32, yellow: 33, red: 31 }
