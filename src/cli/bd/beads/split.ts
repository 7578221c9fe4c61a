import { Flags } from '../../flags.ts'

export interface Split {
  /** The flags that were asked for, by name. */
  readonly taken: Flags
  /** Everything else, in its order. */
  readonly rest: readonly string[]
}

/** A flag that is looked for: its name, its letter, and whether a value follows it. */
export interface Wanted {
  readonly name: string
  readonly short?: string
  readonly value: boolean
}

/**
 * Takes some flags out of a command line of which nothing else is understood: bd knows flags that fleet does not.
 * `takesValue`: other flags that are followed by a value, so that the value is not taken for a flag.
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

/** `--name`, `--name=value`, `-n`; of a letter with a value also `-nvalue`. */
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
