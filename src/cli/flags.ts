/**
 * Flags as data: one table per command drives parsing, help and the reference page. The parsing rules and messages are
 * those of pflag, which bd uses, so that a bd user's habits work: `--flag=value`, `-p1`, `-p=1`, grouped switches,
 * flags between arguments, `--` to end them, the last of a repeated flag wins unless it gathers.
 */
export interface Flag {
  readonly name: string
  readonly short?: string
  /** switch: on or off · text and number: one value · list: comma lists, repeatable · many: repeatable, commas kept */
  readonly kind: 'switch' | 'text' | 'number' | 'list' | 'many'
  readonly help: string
  /** The name of the value in help; by default that of the kind. */
  readonly value?: string
  /** Shown in help; the command itself applies it. */
  readonly default?: string
  /** Other spellings that mean the same, not shown in help. */
  readonly aliases?: readonly string[]
  /** The value of a text flag given without one. */
  readonly bare?: string
  /** Of a number. */
  readonly least?: number
  readonly most?: number
  readonly hidden?: boolean
}

/** `flag` is as typed where it is unknown, and as it is called otherwise. */
export type FlagProblem =
  | { readonly kind: 'unknown'; readonly flag: string }
  | { readonly kind: 'no-value'; readonly flag: string }
  | { readonly kind: 'wrong-value'; readonly flag: Flag; readonly value: string }

/** The message is pflag's, for `fleet bd`; fleet's own commands say it in their own words (render/flag-problem.ts). */
export class FlagError extends Error {
  readonly problem: FlagProblem

  constructor(message: string, problem: FlagProblem) {
    super(message)
    this.name = 'FlagError'
    this.problem = problem
  }
}

/** A flag that is known but not served. Only thrown where it stands as a flag: it may also be the value of another. */
export class RefusedFlag extends Error {
  readonly flag: string

  constructor(flag: string) {
    super(`--${flag} is not served`)
    this.name = 'RefusedFlag'
    this.flag = flag
  }
}

export class Flags {
  readonly #values: ReadonlyMap<string, readonly string[]>

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values
  }

  /** Was it given at all? Tells `--assignee ""` from no `--assignee`. */
  has(name: string): boolean {
    return this.#values.has(name)
  }

  on(name: string): boolean {
    return this.#values.get(name)?.at(-1) === 'true'
  }

  text(name: string): string | undefined {
    return this.#values.get(name)?.at(-1)
  }

  number(name: string): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : Number(text)
  }

  /** The same, with these given too. */
  with(more: Readonly<Record<string, string>>): Flags {
    return new Flags(
      new Map([...this.#values, ...Object.entries(more).map(([name, value]) => [name, [value]] as const)]),
    )
  }

  /** Every value of a list or many flag, in order. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }
}

export interface Parsed {
  readonly flags: Flags
  readonly args: readonly string[]
}

/** `- fixed this`: an agent's list of what it did. No flag is called by a space. */
const BULLET = /^-\s/

/** `refused`: names and letters that are known but not served, each with the name of its flag. */
export function parseFlags(
  argv: readonly string[],
  known: readonly Flag[],
  refused: ReadonlyMap<string, string> = new Map(),
): Parsed {
  const byName = new Map<string, Flag>()
  const byShort = new Map<string, Flag>()
  for (const flag of known) {
    for (const name of [flag.name, ...(flag.aliases ?? [])]) byName.set(name, flag)
    if (flag.short !== undefined) byShort.set(flag.short, flag)
  }
  const values = new Map<string, string[]>()
  const args: string[] = []
  const rest = [...argv]
  const give = (flag: Flag, value: string): void => {
    const checked = check(flag, value)
    const before = values.get(flag.name)
    if (before === undefined || (flag.kind !== 'list' && flag.kind !== 'many')) values.set(flag.name, [...checked])
    else before.push(...checked)
  }

  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      args.push(...rest)
      break
    }
    if (word === '-' || !word.startsWith('-') || BULLET.test(word)) args.push(word)
    else if (word.startsWith('--')) {
      const [name, inline] = cut(word.slice(2))
      const notServed = refused.get(name)
      if (notServed !== undefined) throw new RefusedFlag(notServed)
      const flag = byName.get(name)
      if (flag === undefined) {
        throw new FlagError(`unknown flag: --${name}`, { kind: 'unknown', flag: `--${name}` })
      }
      give(flag, inline ?? implied(flag) ?? next(rest, { flag: `--${name}`, shown: `--${name}` }))
    } else shorts(word, { byShort, refused }, rest, give)
  }
  return { flags: new Flags(values), args }
}

/** `-abc` is three switches, or a switch or two and then a value. */
function shorts(
  word: string,
  { byShort, refused }: { byShort: ReadonlyMap<string, Flag>; refused: ReadonlyMap<string, string> },
  rest: string[],
  give: (flag: Flag, value: string) => void,
): void {
  for (let i = 1; i < word.length; i++) {
    const letter = word[i] as string
    const flag = byShort.get(letter)
    if (flag === undefined) {
      const notServed = refused.get(letter)
      if (notServed !== undefined) throw new RefusedFlag(notServed)
      const problem = { kind: 'unknown', flag: `-${letter}` } as const
      throw new FlagError(`unknown shorthand flag: '${letter}' in ${word}`, problem)
    }
    const tail = word.slice(i + 1)
    const fallback = implied(flag)
    if (fallback !== undefined && !tail.startsWith('=')) {
      give(flag, fallback)
      continue
    }
    const value = tail.startsWith('=') ? tail.slice(1) : tail
    give(flag, tail !== '' ? value : next(rest, { flag: `-${letter}`, shown: `'${letter}' in ${word}` }))
    return
  }
}

function cut(text: string): [string, string | undefined] {
  const at = text.indexOf('=')
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function implied(flag: Flag): string | undefined {
  return flag.kind === 'switch' ? 'true' : flag.bare
}

function next(rest: string[], { flag, shown }: { flag: string; shown: string }): string {
  const value = rest.shift()
  if (value === undefined) throw new FlagError(`flag needs an argument: ${shown}`, { kind: 'no-value', flag })
  return value
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

function check(flag: Flag, value: string): string[] {
  const shown = flag.short === undefined ? `--${flag.name}` : `-${flag.short}, --${flag.name}`
  const refuse = (parser: string, problem: string) => {
    const typed = JSON.stringify(value)
    return new FlagError(`invalid argument ${typed} for "${shown}" flag: ${parser}: parsing ${typed}: ${problem}`, {
      kind: 'wrong-value',
      flag,
      value,
    })
  }
  switch (flag.kind) {
    case 'switch':
      if (TRUE.has(value)) return ['true']
      if (FALSE.has(value)) return ['false']
      throw refuse('strconv.ParseBool', 'invalid syntax')
    case 'number':
      if (!/^[+-]?\d+$/.test(value)) throw refuse('strconv.ParseInt', 'invalid syntax')
      if (!isWithin(Number(value), flag)) throw refuse('strconv.ParseInt', 'value out of range')
      return [String(Number(value))]
    case 'list':
      return commaList(value)
    case 'text':
    case 'many':
      return [value]
  }
}

function isWithin(number: number, { least, most }: Flag): boolean {
  return Number.isSafeInteger(number) && number >= (least ?? number) && number <= (most ?? number)
}

/** Commas separate, double quotes hold together, a doubled quote is a quote. */
export function commaList(text: string): string[] {
  if (text === '') return []
  const parts: string[] = []
  let part = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string
    if (char === '"' && quoted && text[i + 1] === '"') {
      part += char
      i++
    } else if (char === '"' && (quoted || part === '')) quoted = !quoted
    else if (char === ',' && !quoted) {
      parts.push(part)
      part = ''
    } else part += char
  }
  return [...parts, part]
}
