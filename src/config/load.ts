import { dirname, join } from 'node:path'
import { bounded } from '../domain/text/bounded.ts'
import { AppError } from '../errors.ts'
import { readText } from '../platform/files/files.ts'
import { check, knownCoders, type Raw } from './check.ts'
import { fileCoderNames } from './coder-files.ts'
import { keyText } from './key.ts'
import { lineNumberOf } from './key-line.ts'
import { maskedText } from './mask.ts'
import type { Problem } from './problem.ts'
import type { Config } from './schema.ts'

export interface Loaded {
  readonly config: Config
  /** What the file itself says. */
  readonly given: Raw
  /** The file as it is; undefined: there is none, and everything is default. */
  readonly text: string | undefined
  /** Every coder a task may name: fleet's own, those of the file, those of the `coders` folder beside it. */
  readonly coderNames: readonly string[]
}

/** The configuration in force. What is wrong in the file is refused whole, never half used. */
export async function loadConfig(path: string): Promise<Loaded> {
  const text = readText(path)
  const given = await parseToml(text ?? '', path)
  const fileCoders = fileCodersBeside(path)
  const config = validated(given, { path, fileCoders, text })
  return { config, given, text, coderNames: knownCoders(config, fileCoders) }
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
      hint: `${line === '' ? '' : `${error.line} | ${bounded(line, 120)}\n  `}put it right in ${path} (fleet config show --raw prints it)`,
      cause: error,
    })
  }
}

export interface ConfigFile {
  readonly path: string
  /** Coders that stand as files beside it. */
  readonly fileCoders: readonly string[]
  /** The file itself, where it is the file that is wrong. */
  readonly text?: string | undefined
}

export function validated(given: Raw, file: ConfigFile): Config {
  const checked = check(given, file.fileCoders)
  if ('config' in checked) return checked.config
  throw new AppError('config', checked.problems.map((problem) => problemLine(problem, file)).join('\n'))
}

function problemLine({ key, what, fix }: Problem, { path, text }: ConfigFile): string {
  const line = text === undefined ? undefined : lineNumberOf(text, key)
  return `runtime.toml: ${line === undefined ? '' : `line ${line}: `}${keyText(key)} ${what} (${fix ?? `edit ${path}`})`
}
