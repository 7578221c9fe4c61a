import type { Flag } from '../flags.ts'

/** The kinds of words that fit where a person completes one. */
export type Place =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'flags' }
  | { readonly kind: 'task' | 'coder' | 'key' | 'assignment' }
  /** A text that only the person knows, or a file. */
  | { readonly kind: 'other' }

export interface Table {
  readonly usage: string
  readonly flags: readonly Flag[]
  readonly subcommands?: readonly { readonly name: string }[] | undefined
}

/** The place of the last word after a command's name, from the command's own table: its usage, its flags. */
export function placeOf({ usage, flags, subcommands }: Table, words: readonly string[]): Place {
  const before = words.slice(0, -1)
  const word = words.at(-1) ?? ''
  const previous = before.at(-1) ?? ''
  const flag = before.includes('--') ? undefined : takingValue(previous, flags)
  if (flag !== undefined) return VALUES[flag.name] ?? OTHER
  if (word.startsWith('-') && !before.includes('--')) return { kind: 'flags' }
  const at = argumentsIn(before, flags)
  if (subcommands !== undefined && at === 0) {
    return { kind: 'words', words: subcommands.map(({ name }) => name) }
  }
  return argumentPlace(usage, at)
}

const OTHER: Place = { kind: 'other' }

/** By the name of the flag. */
const VALUES: Readonly<Record<string, Place>> = {
  coder: { kind: 'coder' },
  parent: { kind: 'task' },
  deps: { kind: 'task' },
  'blocked-by': { kind: 'task' },
  'depends-on': { kind: 'task' },
  blocks: { kind: 'task' },
}

/** The flag that waits for its value; undefined: the next word is none. */
function takingValue(word: string, flags: readonly Flag[]): Flag | undefined {
  const long = /^--([^=]+)$/.exec(word)?.[1]
  const short = /^-([^-])$/.exec(word)?.[1]
  const flag = flags.find(
    (each) =>
      (long !== undefined && (each.name === long || each.aliases?.includes(long) === true)) ||
      (short !== undefined && each.short === short),
  )
  return flag === undefined || flag.kind === 'switch' || flag.bare !== undefined ? undefined : flag
}

/** How many arguments, neither flags nor their values, stand among these words. */
function argumentsIn(words: readonly string[], flags: readonly Flag[]): number {
  let count = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--') return count + words.length - i - 1
    if (!word.startsWith('-') || word === '-') count++
    else if (takingValue(word, flags) !== undefined) i++
  }
  return count
}

/** From a usage such as `<id> log|plan [-f]`, `[id...] [flags]` or `<key>=<value>...`; the last of several repeats. */
function argumentPlace(usage: string, at: number): Place {
  const tokens = usage
    .replace(/\[?--?\w[^\]]*\]?/g, ' ')
    .replaceAll('[flags]', ' ')
    .split(/\s+/)
    .filter((token) => /\w/.test(token))
  const last = tokens.at(-1)
  const token = tokens[at] ?? (last?.includes('...') === true ? last : undefined)
  if (token === undefined) return OTHER
  if (/^<key>=/.test(token)) return { kind: 'assignment' }
  if (/^[<[]key/.test(token)) return { kind: 'key' }
  if (/^[<[]{1,2}(?:[a-z]+-)?id\d?\b/.test(token)) return { kind: 'task' }
  const words = token.split('|')
  return words.length > 1 && words.every((each) => /^[a-z-]+$/.test(each)) ? { kind: 'words', words } : OTHER
}
