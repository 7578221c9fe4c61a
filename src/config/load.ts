import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'
import { readText } from '../platform/files.ts'
import { check, knownCoders, type Raw } from './check.ts'
import { fileCoderNames } from './coder-files.ts'
import { keyText } from './key.ts'
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
  const config = valid(given, { path, fileCoders })
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
    throw new AppError('config', `runtime.toml: line ${error.line}, column ${error.column}: ${why}`, {
      hint: `put it right in ${path}`,
      cause: error,
    })
  }
}

export interface Place {
  readonly path: string
  /** Coders that stand as files beside it. */
  readonly fileCoders: readonly string[]
}

export function valid(given: Raw, { path, fileCoders }: Place): Config {
  const checked = check(given, fileCoders)
  if ('config' in checked) return checked.config
  throw new AppError('config', checked.problems.map((problem) => problemLine(problem, path)).join('\n'))
}

function problemLine(problem: Problem, path: string): string {
  return `runtime.toml: ${keyText(problem.key)} ${problem.what} (${problem.fix ?? `edit ${path}`})`
}
