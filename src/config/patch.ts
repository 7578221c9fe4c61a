import { AppError } from '../errors.ts'
import type { Raw } from './check.ts'
import { type Key, keyText } from './key.ts'
import { lineIndexOf } from './key-line.ts'

export interface Change {
  readonly key: Key
  /** undefined removes the setting. */
  readonly value: unknown
}

/**
 * Changes one setting of a TOML text and keeps everything else. Tries several strategies, starting with the one that best
 * preserves the person's layout, and accepts the first result that parses to the wanted values.
 */
export async function patched(text: string, change: Change): Promise<string> {
  const toml = await import('smol-toml')
  const read = (candidate: string): Raw | undefined => {
    try {
      return toml.parse(candidate.replace(/^\ufeff/, '')) as Raw
    } catch {
      return undefined
    }
  }
  const before = read(text) ?? {}
  const wanted = changed(before, change)
  for (const strategy of [commentedOut, uncommented, inNewTable, byLibrary]) {
    for await (const candidate of strategy(text, change, { before, wanted, stringify: toml.stringify })) {
      const result = read(candidate)
      if (result !== undefined && canonical(result) === canonical(wanted)) return candidate
    }
  }
  throw new AppError(
    'failed',
    `runtime.toml: ${keyText(change.key)} cannot be changed without damaging the rest of the file`,
    {
      hint: 'nothing was changed; edit the file by hand',
    },
  )
}

interface Goal {
  readonly before: Raw
  readonly wanted: Raw
  readonly stringify: (table: Raw) => string
}

type Strategy = (text: string, change: Change, aim: Goal) => Iterable<string> | AsyncIterable<string>

/** Removes a setting by putting a `#` before all its lines, so that comments about it still make sense. */
const commentedOut: Strategy = function* (text, { key, value }) {
  if (value !== undefined) return
  const lines = text.split('\n')
  const at = lineIndexOf(lines, key, /^\s*/)
  if (at === undefined) return
  for (let i = at; i < lines.length && i < at + MOST_LINES; i++) {
    lines[i] = `# ${lines[i]}`
    yield lines.join('\n')
  }
}
const MOST_LINES = 100

/** Turns the comment that `fleet init` wrote into the setting; keeps the rest of the line. */
const uncommented: Strategy = async function* (text, change, aim) {
  if (change.value === undefined || valueAt(aim.before, change.key) !== undefined) return
  const lines = text.split('\n')
  const at = lineIndexOf(lines, change.key, /^\s*#\s*/)
  if (at === undefined) return
  lines[at] = (lines[at] as string).replace(/^\s*#\s*/, '')
  yield* byLibrary(lines.join('\n'), change, aim)
}

/** Adds a missing table with its header at the end of the file. */
const inNewTable: Strategy = function* (text, { key, value }, { before, stringify }) {
  const table = key.slice(0, -1)
  if (value === undefined || table.length === 0 || valueAt(before, table) !== undefined) return
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const start = text === '' ? '' : text.endsWith('\n') ? `${text}${newline}` : `${text}${newline}${newline}`
  yield `${start}[${keyText(table)}]${newline}${stringify({ [key.at(-1) as string]: value }).trimEnd()}${newline}`
}

const byLibrary: Strategy = async function* (text, _change, { wanted }) {
  const { patch, TomlFormat } = await import('@decimalturn/toml-patch')
  const format = TomlFormat.autoDetectFormat(text)
  format.inlineTableStart = 2
  if (text === '') format.trailingNewline = 1
  try {
    yield patch(text, wanted, format)
  } catch {
    // The library refuses some valid TOML documents.
  }
}

export function changed(raw: Raw, { key, value }: Change): Raw {
  const [word, ...rest] = key as [string, ...string[]]
  const { [word]: old, ...others } = raw
  const next = rest.length === 0 ? value : changed(isTable(old) ? old : {}, { key: rest, value })
  if (next === undefined) return others
  // Keeps the key's position among its siblings: the library would treat a moved key as a new one.
  return Object.hasOwn(raw, word)
    ? Object.fromEntries(Object.entries(raw).map(([name, each]) => [name, name === word ? next : each]))
    : { ...raw, [word]: next }
}

export function valueAt(raw: Raw, key: Key): unknown {
  let value: unknown = raw
  for (const word of key) value = isTable(value) && Object.hasOwn(value, word) ? value[word] : undefined
  return value
}

function isTable(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Equal texts mean equal configurations: ignores key order and empty tables. */
function canonical(value: unknown): string {
  if (!isTable(value) || value instanceof Date) return JSON.stringify(value)
  const members = Object.entries(value)
    .map(([name, each]) => [name, canonical(each)] as const)
    .filter(([, each]) => each !== '{}')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${each}`).join(',')}}`
}
