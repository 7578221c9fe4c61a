import { secretIn } from './secret-value.ts'
import type { Withholds } from './withholding.ts'

/**
 * The texts that would reveal a secret of these variables: the values that are withheld, and the passwords and tokens in
 * them alone. `all`: also of variables with ordinary names, for those that a person gave to one coder.
 */
export function secretsIn(
  variables: Readonly<Record<string, string | undefined>>,
  withholds: Withholds,
  { all = false } = {},
): string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined) return []
    const withheld = withholds(name, value)
    if (withheld === undefined && !all) return []
    const parts = secretIn(value)?.parts ?? []
    const isNamedSecret = withheld !== undefined && withheld.ofAgent !== true
    return forms((isNamedSecret ? isPath(value) : isOrdinary(value)) ? parts : [value, ...parts])
  })
}

/** A path, an address, a number, words and numbers such as a model's name: to mask it would hide more than a secret. */
function isOrdinary(value: string): boolean {
  return ORDINARY.test(value) || (value.split(/[-_.:/@, ]/).every(isWordOrNumber) && value.length < 200)
}

/** SIGNING_KEY=/home/ann/key.pem names a file. */
function isPath(value: string): boolean {
  return /^[~.]?\/[\w.-]+\/[\w./-]+$/.test(value)
}

const ORDINARY = /^(?:[~.]?\/|https?:\/\/|true$|false$|\d)/i

/** Letters alone, digits alone, or both in a short name (`v1`, `4o`, `gpt4`). */
function isWordOrNumber(word: string): boolean {
  return /^(?:[A-Za-z]*|\d*)$/.test(word) || word.length <= 4
}

/** Lines of a value with several, which a listing shows one by one; its form inside JSON; its form inside a URL. */
function forms(values: readonly string[]): string[] {
  return values.flatMap((value) => {
    const lines = value.includes('\n') ? value.split('\n').filter((line) => line.trim().length >= LONG_LINE) : []
    return [value, JSON.stringify(value).slice(1, -1), escaped(value), ...lines]
  })
}

const LONG_LINE = 12

function escaped(value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    return value // half a surrogate pair
  }
}
