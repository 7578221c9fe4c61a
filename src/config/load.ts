import { AppError } from '../errors.ts'
import { readText } from '../platform/files.ts'
import { check, type Problem, type Raw } from './check.ts'
import { keyText } from './key.ts'
import type { Config } from './schema.ts'

export interface Loaded {
  readonly config: Config
  /** What the file itself says. */
  readonly given: Raw
  /** The file as it is; undefined: there is none, and everything is default. */
  readonly text: string | undefined
}

/** The configuration in force. What is wrong in the file is refused whole, never half used. */
export async function loadConfig(path: string): Promise<Loaded> {
  const text = readText(path)
  const given = await parseToml(text ?? '', path)
  return { config: valid(given, path), given, text }
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

export function valid(given: Raw, path: string): Config {
  const checked = check(given)
  if ('config' in checked) return checked.config
  throw new AppError('config', checked.problems.map((problem) => problemLine(problem, path)).join('\n'))
}

function problemLine(problem: Problem, path: string): string {
  return `runtime.toml: ${keyText(problem.key)} ${problem.what} (${problem.fix ?? `edit ${path}`})`
}
