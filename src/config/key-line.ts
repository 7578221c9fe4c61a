import { type Key, keyText, parseKey } from './key.ts'

/**
 * The line on which a person finds a key, counted from 1: its own line, else its table's header, else a parent's line.
 * Works on the text alone, so it also works in a file that does not parse.
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

/**
 * The index of the line that consists of `lead`, the key and `=`. The key is relative to its table: `idle =` below
 * [timeouts], `timeouts.idle =` above it.
 */
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
