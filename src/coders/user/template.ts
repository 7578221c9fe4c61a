import { ownEntry } from '../../domain/text/own-entry.ts'

/** The placeholders in a command of runtime.toml. */
export const PLACEHOLDERS = ['prompt_file', 'model', 'cwd', 'session'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

/** undefined: unknown. */
export type Values = Readonly<Record<Placeholder, string | undefined>>

/**
 * A command with its placeholders filled in. Each value becomes part of its word, whatever characters it has: no shell reads
 * them. A word with an unknown value is left out; if the word is only the placeholder, so is the flag before it:
 * `["--model", "{model}"]` vanishes if no model was chosen.
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

/** Other braces stay as they are: they belong to the program. */
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

/** An agent chooses the session, and any person the model of a task, so neither may become a flag. */
function refuseFlag(word: string, values: Values): void {
  const [name] = placeholdersIn(word)
  const value = name === undefined ? undefined : values[name]
  if (!isAlone(word) || value?.startsWith('-') !== true) return
  throw new Error(`the ${name} ${JSON.stringify(value)} would be taken for a flag`)
}

/** A relative path would depend on the current directory. */
export function isProgram(word: string): boolean {
  return word.startsWith('/') || !word.includes('/')
}
