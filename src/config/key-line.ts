import { type Key, keyText, parseKey } from './key.ts'

/**
 * Where a person finds a key: its own line, else the header of the table, else the line of what holds it. Counted from 1.
 * By the look of the lines alone, so it also works in a file that does not parse.
 */
export function lineNumberOf(text: string, key: Key): number | undefined {
  const lines = text.split('\n')
  for (let depth = key.length; depth > 0; depth--) {
    const part = key.slice(0, depth)
    const at = lineIndexOf(lines, part, /^\s*/) ?? lines.findIndex((line) => isBelow(headerOf(line), part))
    if (at !== -1) return at + 1
  }
  return undefined
}

function isBelow(header: Key | undefined, key: Key): boolean {
  return header !== undefined && key.every((word, i) => header[i] === word)
}

/** The line that is `lead`, then the key as its table lets it be written, then `=`: `idle =` below [timeouts], `timeouts.idle =` above. */
export function lineIndexOf(lines: readonly string[], key: Key, lead: RegExp): number | undefined {
  const spellings = new Map(key.map((_, depth) => [keyText(key.slice(0, depth)), keyText(key.slice(depth))]))
  let table = ''
  for (const [i, line] of lines.entries()) {
    if (HEADER.test(line)) table = keyText(headerOf(line) ?? [])
    const spelling = spellings.get(table)
    const start = lead.exec(line)?.[0].length
    if (spelling === undefined || start === undefined || !line.startsWith(spelling, start)) continue
    if (/^\s*=/.test(line.slice(start + spelling.length))) return i
  }
  return undefined
}

const HEADER = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/

function headerOf(line: string): Key | undefined {
  const header = HEADER.exec(line)?.[1]
  return header === undefined ? undefined : parseKey(header.trim())
}
