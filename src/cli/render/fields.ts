import type { Line, Span, Style } from './painted.ts'
import { widthOf } from './width.ts'
import { wrapped } from './wrap.ts'

/** A label and its text; a text of several lines keeps them. Without a label it goes on from the one above. */
export interface Field {
  readonly label: string
  readonly text: string
  readonly style?: Style
  /** Behind the text, dim. */
  readonly aside?: string
}

/** Columns of the labels. */
export const LABEL = 14

/** For a terminal of this width. The label stands in a column of its own. */
export function fieldLines({ label, text, style, aside = '' }: Field, width: number): Line[] {
  const room = Math.max(20, width - LABEL)
  const lines = text.split('\n').flatMap((line) => wrapped(line, room))
  const fits = widthOf(`${lines.at(-1)}${aside}`) <= room
  const named = (i: number): string => (i === 0 && label !== '' ? `${label}:` : '').padEnd(LABEL)
  const shown = lines.map((line, i): Line => {
    const spans: Span[] = [
      { text: line === '' ? named(i).trimEnd() : named(i), style: 'dim' },
      { text: line, ...known(style) },
    ]
    return aside !== '' && fits && i === lines.length - 1 ? [...spans, { text: aside, style: 'dim' }] : spans
  })
  return aside === '' || fits ? shown : [...shown, [{ text: `${named(-1)}${aside.trimStart()}`, style: 'dim' }]]
}

export function known(style: Style | undefined): { style?: Style } {
  return style === undefined ? {} : { style }
}
