import { isAbsolute, join } from 'node:path'
import type { Word } from './shell-commands.ts'

/** The absolute path that a word names; undefined: only the shell knows. */
export function pathOf({ text, isSure }: Word, cwd: string | undefined): string | undefined {
  if (!isSure || text === '') return undefined
  if (isAbsolute(text)) return join(text)
  return cwd === undefined ? undefined : join(cwd, text)
}

/** The words that follow one of these options. */
export function after(args: readonly Word[], names: readonly string[]): Word[] {
  return args.flatMap((word, i) => (i > 0 && names.includes(args[i - 1]?.text ?? '') ? [word] : []))
}

/** The words that are no option, and no value of one of these. */
export function withoutValues(args: readonly Word[], names: readonly string[] = []): Word[] {
  const values = after(args, names)
  return args.filter((word) => !word.text.startsWith('-') && !values.includes(word))
}
