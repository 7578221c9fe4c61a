import { isDeepStrictEqual } from 'node:util'
import { CONFIG_FILE } from '../config/in-force.ts'
import { keyText } from '../config/key.ts'
import { parseToml } from '../config/load.ts'
import { masked, maskedText } from '../config/mask.ts'
import { isObject } from '../domain/task/settings.ts'
import { type DiffLine, lineDiff } from '../domain/text/line-diff.ts'
import { redact } from '../domain/text/redact.ts'
import { AppError } from '../errors.ts'
import type { HomeChange } from './home-changes.ts'

/** How a file was changed, without its secrets. */
export interface ChangeDiff {
  readonly path: string
  readonly lines: readonly DiffLine[]
  /** Settings whose values differ only in what is masked. */
  readonly masked: readonly string[]
  /** Why there is no difference to show. */
  readonly problem: string | undefined
}

export async function changeDiff({ path, before, after }: HomeChange): Promise<ChangeDiff> {
  if ('problem' in after) return { path, lines: [], masked: [], problem: after.problem }
  const problem = after.text === null ? 'was removed' : before === null ? 'was added' : undefined
  const [old, now] = [before ?? '', after.text ?? '']
  // Each line is masked alone, after the comparison: a secret over many lines, or what looks like one, would hide the lines
  // that an agent wrote below it.
  const isConfig = path === CONFIG_FILE
  const hide = lineMask(isConfig ? maskedText : redact, isConfig ? await longSecrets(old, now) : new Set())
  const lines = lineDiff(old, now).map(({ kind, text }) => ({ kind, text: hide(text) }))
  return { path, lines, masked: isConfig ? await hiddenKeys(old, now) : [], problem }
}

function lineMask(mask: (text: string) => string, secrets: ReadonlySet<string>): (line: string) => string {
  return (line) => {
    const isHidden = OF_A_KEY.test(line) || (secrets.has(line.trim()) && !SETS_SOMETHING.test(line))
    return isHidden ? '***' : mask(line)
  }
}

/** A line of a private key. Code of this form can call nothing. */
const OF_A_KEY = /^\s*[A-Za-z0-9+/]{40,}={0,2}\s*$/
/** A line that could be more of a TOML file than a part of a string. */
const SETS_SOMETHING = /^\s*(?:["'[\]{},#]|[\w.-]+\s*=)/

/** The lines of secrets in strings of many lines. */
async function longSecrets(...texts: readonly string[]): Promise<ReadonlySet<string>> {
  const parsed = await Promise.all(texts.map(parsedOrNone))
  const lines = parsed.flatMap((values) => {
    const shown = leaves(masked(values))
    return [...leaves(values)].flatMap(([key, value]) =>
      typeof value === 'string' && value.includes('\n') && shown.get(key) !== value ? value.split('\n') : [],
    )
  })
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))
}

/** A file that does not parse is refused, and the parser says why. */
async function parsedOrNone(text: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await parseToml(text, CONFIG_FILE)
  } catch (error) {
    if (error instanceof AppError) return {}
    throw error
  }
}

/** A difference that shows nothing would be accepted unseen. */
async function hiddenKeys(before: string, after: string): Promise<readonly string[]> {
  const [old, now] = await Promise.all([parsedOrNone(before), parsedOrNone(after)])
  const [shownOld, shownNow] = [leaves(masked(old)), leaves(masked(now))]
  const was = leaves(old)
  return [...leaves(now)]
    .filter(([key, value]) => was.has(key) && !isDeepStrictEqual(was.get(key), value))
    .map(([key]) => key)
    .filter((key) => isDeepStrictEqual(shownOld.get(key), shownNow.get(key)))
}

function leaves(value: unknown, at: readonly string[] = []): Map<string, unknown> {
  if (!isObject(value) || value instanceof Date) return new Map([[keyText([...at]), value]])
  return new Map(Object.entries(value).flatMap(([name, each]) => [...leaves(each, [...at, name])]))
}
