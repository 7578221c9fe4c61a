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

/** For a terminal of this width. */
export function sectionLines(sections: readonly Section[], width: number): Line[] {
  return sections.flatMap((section, i) => [
    ...(i === 0 ? [] : [[]]),
    ...(section.listed.rows.length === 0
      ? [[{ text: (section.none ?? '').slice(0, width) }]]
      : [
          [{ text: section.title.slice(0, width), style: 'bold' as const }],
          ...tableLines(section.columns, section.listed.rows, width),
          ...(section.listed.more ? [[{ text: MORE.slice(0, width), style: 'dim' as const }]] : []),
        ]),
  ])
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
