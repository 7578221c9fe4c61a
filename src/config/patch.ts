import { AppError } from '../errors.ts'
import type { Raw } from './check.ts'
import { type Key, keyText, parseKey } from './key.ts'

export interface Change {
  readonly key: Key
  /** undefined takes the setting out. */
  readonly value: unknown
}

/**
 * A TOML text with one setting changed and everything else as it was. There are several ways to write a change; they
 * are tried from the one that fits best into what a person wrote, and a way counts only if the result reads as wanted.
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
  for (const way of [commentedOut, uncommented, inNewTable, byLibrary]) {
    const candidate = await way(text, change, { before, wanted, stringify: toml.stringify })
    const result = candidate === undefined ? undefined : read(candidate)
    if (candidate !== undefined && result !== undefined && canonical(result) === canonical(wanted)) return candidate
  }
  throw new AppError(
    'failed',
    `runtime.toml: ${keyText(change.key)} cannot be changed without harm to the rest of the file`,
    {
      hint: 'nothing was changed; edit the file by hand',
    },
  )
}

interface Aim {
  readonly before: Raw
  readonly wanted: Raw
  readonly stringify: (table: Raw) => string
}

type Way = (text: string, change: Change, aim: Aim) => string | undefined | Promise<string | undefined>

/** Taken out by a `#` in front, so that comments about it keep their sense. */
const commentedOut: Way = (text, { key, value }) => {
  if (value !== undefined) return undefined
  return onLine(text, key, /^\s*/, (line) => line.replace(/^\s*/, '$&# '))
}

/** The line that `fleet init` wrote as a comment becomes the setting. */
const uncommented: Way = (text, { key, value }, { before, stringify }) => {
  if (value === undefined || valueAt(before, key) !== undefined) return undefined
  const line = stringify({ [key.at(-1) as string]: value }).trimEnd()
  return line.includes('\n') ? undefined : onLine(text, key, /^\s*#\s*/, () => line)
}

/** A table that is not there yet goes to the end, under a header of its own. */
const inNewTable: Way = (text, { key, value }, { before, stringify }) => {
  const table = key.slice(0, -1)
  if (value === undefined || table.length === 0 || valueAt(before, table) !== undefined) return undefined
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const start = text === '' ? '' : text.endsWith('\n') ? `${text}${newline}` : `${text}${newline}${newline}`
  return `${start}[${keyText(table)}]${newline}${stringify({ [key.at(-1) as string]: value }).trimEnd()}${newline}`
}

const byLibrary: Way = async (text, _change, { wanted }) => {
  const { patch, TomlFormat } = await import('@decimalturn/toml-patch')
  const format = TomlFormat.autoDetectFormat(text)
  format.inlineTableStart = 2
  if (text === '') format.trailingNewline = 1
  try {
    return patch(text, wanted, format)
  } catch {
    return undefined
  }
}

/** The one line of the key's own table that is `lead`, the key's last word and `=`, rewritten. */
function onLine(text: string, key: Key, lead: RegExp, rewrite: (line: string) => string): string | undefined {
  const table = keyText(key.slice(0, -1))
  const name = key.at(-1) as string
  const lines = text.split('\n')
  let here = ''
  for (const [i, whole] of lines.entries()) {
    const line = whole.replace(/\r$/, '')
    const header = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1]
    if (header !== undefined) here = keyText(parseKey(header.trim()) ?? [])
    const [match] = lead.exec(line) ?? []
    if (
      match === undefined ||
      here !== table ||
      !new RegExp(`^${name.replace(/\W/g, '\\$&')}\\s*=`).test(line.slice(match.length))
    )
      continue
    lines[i] = `${rewrite(line)}${whole.slice(line.length)}`
    return lines.join('\n')
  }
  return undefined
}

export function changed(raw: Raw, { key, value }: Change): Raw {
  const [word, ...rest] = key as [string, ...string[]]
  const { [word]: old, ...others } = raw
  const next = rest.length === 0 ? value : changed(isTable(old) ? old : {}, { key: rest, value })
  if (next === undefined) return others
  // In its old place among its siblings: the library takes a moved key for a new one.
  return word in raw
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

/** Equal texts mean the same configuration: key order and empty tables do not count. */
function canonical(value: unknown): string {
  if (!isTable(value) || value instanceof Date) return JSON.stringify(value)
  const members = Object.entries(value)
    .map(([name, each]) => [name, canonical(each)] as const)
    .filter(([, each]) => each !== '{}')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${each}`).join(',')}}`
}
