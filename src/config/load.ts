import { bounded } from '../domain/bounded.ts'
import { AppError } from '../errors.ts'
import { readText } from '../platform/files.ts'
import { check, type Problem, type Raw } from './check.ts'
import { keyText } from './key.ts'
import { placeOf } from './line-of.ts'
import { maskedText } from './mask.ts'
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
  return { config: valid(given, { path, text }), given, text }
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

/** `text`: the file itself, where it is the file that is wrong. */
export function valid(given: Raw, file: { path: string; text?: string | undefined }): Config {
  const checked = check(given)
  if ('config' in checked) return checked.config
  throw new AppError('config', checked.problems.map((problem) => problemLine(problem, file)).join('\n'))
}

function problemLine({ key, what, fix }: Problem, { path, text }: { path: string; text?: string | undefined }): string {
  const line = text === undefined ? undefined : placeOf(text, key)
  return `runtime.toml: ${line === undefined ? '' : `line ${line}: `}${keyText(key)} ${what} (${fix ?? `edit ${path}`})`
}
