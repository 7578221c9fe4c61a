import { Flags } from '../../flags.ts'

export interface Split {
  /** The extracted flags, by name. */
  readonly taken: Flags
  /** The other arguments, in order. */
  readonly rest: readonly string[]
}

/** A flag to extract: its name, its letter, and whether it takes a value. */
export interface Wanted {
  readonly name: string
  readonly short?: string
  readonly value: boolean
}

/**
 * Extracts flags from a command line that fleet does not parse: bd has flags that fleet does not know.
 * `takesValue`: other flags with a value, so that the value is not mistaken for a flag.
 */
export function split(argv: readonly string[], wanted: readonly Wanted[], takesValue: ReadonlySet<string>): Split {
  const taken = new Map<string, string[]>()
  const rest: string[] = []
  const words = [...argv]
  const take = (name: string, value: string): void => void taken.set(name, [...(taken.get(name) ?? []), value])
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--') {
      rest.push(word, ...words)
      break
    }
    const flag = wanted.find((each) => isNamed(word as string, each))
    if (flag === undefined) {
      rest.push(word)
      const value = takesValue.has(word) ? words.shift() : undefined
      if (value !== undefined) rest.push(value)
    } else if (!flag.value) take(flag.name, inline(word) ?? 'true')
    else take(flag.name, inline(word) ?? words.shift() ?? '')
  }
  return { taken: new Flags(taken), rest }
}

/** `--name`, `--name=value`, `-n`; with a value also `-nvalue`. */
function isNamed(word: string, { name, short, value }: Wanted): boolean {
  if (word === `--${name}` || word.startsWith(`--${name}=`)) return true
  if (short === undefined || word.startsWith('--')) return false
  return value ? word.startsWith(`-${short}`) : word === `-${short}`
}

function inline(word: string): string | undefined {
  if (!word.startsWith('--')) return word.length > 2 ? word.slice(2).replace(/^=/, '') : undefined
  const at = word.indexOf('=')
  return at === -1 ? undefined : word.slice(at + 1)
}
