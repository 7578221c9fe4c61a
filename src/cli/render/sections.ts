import type { Listed } from '../../views/first-few.ts'
import type { Line } from './painted.ts'
import { type Column, tabbedLines, tableLines } from './table.ts'

/** A table under its title. */
export interface Section<Row = unknown> {
  readonly title: string
  readonly columns: readonly Column<Row>[]
  readonly listed: Listed<Row>
  /** Said where there are no rows. */
  readonly none?: string
}

/** A line of a picture. */
export interface PictureLine {
  readonly line: Line
  /** It is a row of a table, not a title or a blank. */
  readonly isRow: boolean
  /** Below it there are rows that were not read. */
  readonly more?: boolean
}

/** For a terminal of this width. */
export function sectionLines(sections: readonly Section[], width: number): Line[] {
  return pictureLines(sections, width).map(({ line }) => line)
}

export function pictureLines(sections: readonly Section[], width: number): PictureLine[] {
  const plain = (line: Line) => ({ line, isRow: false })
  return sections.flatMap((section, i) => {
    const blank = i === 0 ? [] : [plain([])]
    const { rows, more } = section.listed
    if (rows.length === 0) return [...blank, plain([{ text: (section.none ?? '').slice(0, width) }])]
    const [head = [], ...body] = tableLines(section.columns, rows, width)
    return [
      ...blank,
      plain([{ text: section.title.slice(0, width), style: 'bold' as const }]),
      plain(head),
      ...body.map((line) => ({ line, isRow: true })),
      ...(more ? [{ ...plain([{ text: MORE.slice(0, width), style: 'dim' as const }]), more }] : []),
    ]
  })
}

/** For programs and files: tabs, nothing cut. */
export function sectionsText(sections: readonly Section[]): string {
  return sections
    .map((section) =>
      (section.listed.rows.length === 0
        ? [section.none ?? '']
        : [section.title, ...tabbedLines(section.columns, section.listed.rows), ...(section.listed.more ? [MORE] : [])]
      ).join('\n'),
    )
    .join('\n\n')
}

const MORE = '… and more; --limit shows them'
