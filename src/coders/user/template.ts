import { ownEntry } from '../../domain/text/own-entry.ts'

/** What a command in runtime.toml may leave to be filled in. */
export const PLACEHOLDERS = ['prompt_file', 'model', 'cwd', 'session'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

/** undefined: nobody knows it. */
export type Values = Readonly<Record<Placeholder, string | undefined>>

/**
 * A command with its placeholders filled in. Each value becomes part of the word it stands in, whatever characters it has:
 * no shell reads them. A word whose value nobody knows is left out, and where it is nothing but the placeholder, so is the
 * flag before it: `["--model", "{model}"]` vanishes where no model was chosen.
 */
export function filled(template: readonly string[], values: Values): string[] {
  const words: string[] = []
  for (const [i, word] of template.entries()) {
    const names = placeholdersIn(word)
    if (names.some((name) => values[name] === undefined)) {
      if (isAlone(word) && isFlag(template[i - 1])) words.pop()
      continue
    }
    refuseFlag(word, values)
    words.push(word.replace(PATTERN, (whole, name: string) => ownEntry<string | undefined>(values, name) ?? whole))
  }
  return words
}

const PATTERN = /\{([a-z_]+)\}/g

/** Braces around anything else are left as they are: they belong to whoever reads the word. */
export function placeholdersIn(word: string): readonly Placeholder[] {
  const names = bracedIn(word)
  return PLACEHOLDERS.filter((name) => names.includes(name))
}

export function bracedIn(word: string): readonly string[] {
  return Array.from(word.matchAll(PATTERN), ([, name = '']) => name)
}

function isAlone(word: string): boolean {
  return /^\{[a-z_]+\}$/.test(word)
}

function isFlag(word: string | undefined): boolean {
  return word?.startsWith('-') === true && !word.includes('=') && placeholdersIn(word).length === 0
}

/** A session is what an agent said, and a model what anybody wrote on a task. */
function refuseFlag(word: string, values: Values): void {
  const [name] = placeholdersIn(word)
  const value = name === undefined ? undefined : values[name]
  if (!isAlone(word) || value?.startsWith('-') !== true) return
  throw new Error(`the ${name} ${JSON.stringify(value)} would be taken for a flag`)
}

/** A path relative to nowhere in particular would be looked for along PATH. */
export function isProgram(word: string): boolean {
  return word.startsWith('/') || !word.includes('/')
}
