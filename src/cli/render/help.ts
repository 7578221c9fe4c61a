import type { Flag } from '../flags.ts'

const PLACEHOLDER: Record<Flag['kind'], string> = {
  switch: '',
  text: 'string',
  number: 'int',
  list: 'strings',
  many: 'stringArray',
}

/** Flags in columns, as cobra prints them. */
export function flagLines(flags: readonly Flag[]): string[] {
  const rows = flags
    .filter((flag) => flag.hidden !== true)
    .map((flag) => {
      const short = flag.short === undefined ? '    ' : `-${flag.short}, `
      const value = flag.value ?? PLACEHOLDER[flag.kind]
      const fallback = flag.default === undefined ? '' : ` (default ${flag.default})`
      return { left: `  ${short}--${flag.name}${value === '' ? '' : ` ${value}`}`, right: `${flag.help}${fallback}` }
    })
  const width = Math.max(0, ...rows.map((row) => row.left.length)) + 3
  return rows.map((row) => `${row.left.padEnd(width)}${row.right}`)
}
