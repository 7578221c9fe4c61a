import { dirname, join } from 'node:path'
import { bounded } from '../domain/text/bounded.ts'
import { AppError } from '../errors.ts'
import { type Checked, check, knownCoders, type Raw } from './check.ts'
import { fileCoderNames } from './coder-files.ts'
import { configTextInForce } from './in-force.ts'
import { keyText } from './key.ts'
import { lineNumberOf } from './key-line.ts'
import { maskedText } from './mask.ts'
import type { Problem } from './problem.ts'
import type { Config } from './schema.ts'

export interface Loaded {
  readonly config: Config
  /** The parsed file, without defaults. */
  readonly given: Raw
  /** The text of the file; undefined if there is none and everything is default. */
  readonly text: string | undefined
  /** Every coder a task may name: built in, from the file, and from the `coders` folder beside it. */
  readonly coderNames: readonly string[]
  /** The settings of the file that are not available yet. */
  readonly withoutEffect: readonly string[]
}

/**
 * Loads the configuration in force, or the given text of it. A file with a mistake is refused as a whole, never used in
 * part.
 */
export async function loadConfig(path: string, already?: { readonly text: string | undefined }): Promise<Loaded> {
  const { text } = already ?? { text: configTextInForce(path) }
  const given = await parseToml(text ?? '', path)
  const fileCoders = fileCodersBeside(path)
  const { config, withoutEffect } = checked(given, { path, fileCoders, text })
  return { config, given, text, coderNames: knownCoders(config, fileCoders), withoutEffect }
}

export function fileCodersBeside(path: string): readonly string[] {
  return fileCoderNames(join(dirname(path), 'coders'))
}

export async function parseToml(text: string, path: string): Promise<Raw> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return parse(text.replace(/^\ufeff/, '')) as Raw
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const why = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '')
    const line = maskedText(text.split('\n')[error.line - 1] ?? '').trim()
    throw new AppError('config', `runtime.toml: line ${error.line}, column ${error.column}: ${why}`, {
      hint: `${line === '' ? '' : `${error.line} | ${bounded(line, 120)}\n  `}fix it in ${path} (fleet config show --raw prints it)`,
      cause: error,
    })
  }
}

export interface ConfigFile {
  readonly path: string
  /** The coders in the `coders` folder beside it. */
  readonly fileCoders: readonly string[]
  /** The text of the file, if the mistake is in the file. */
  readonly text?: string | undefined
}

export function validated(given: Raw, file: ConfigFile): Config {
  return checked(given, file).config
}

function checked(given: Raw, file: ConfigFile): Extract<Checked, { readonly config: Config }> {
  const result = check(given, file.fileCoders)
  if ('config' in result) return result
  throw new AppError('config', result.problems.map((problem) => problemLine(problem, file)).join('\n'))
}

function problemLine({ key, what, fix }: Problem, { path, text }: ConfigFile): string {
  const line = text === undefined ? undefined : lineNumberOf(text, key)
  return `runtime.toml: ${line === undefined ? '' : `line ${line}: `}${keyText(key)} ${what} (${fix ?? `edit ${path}`})`
}
