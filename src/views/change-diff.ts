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
  const hide = path === CONFIG_FILE ? maskedText : redact
  const lines = lineDiff(hide(old), hide(now))
  return { path, lines, masked: path === CONFIG_FILE ? await hiddenKeys(old, now) : [], problem }
}

/** A difference that shows nothing would be accepted unseen. */
async function hiddenKeys(before: string, after: string): Promise<readonly string[]> {
  try {
    const [old, now] = await Promise.all([parseToml(before, CONFIG_FILE), parseToml(after, CONFIG_FILE)])
    const [shownOld, shownNow] = [leaves(masked(old)), leaves(masked(now))]
    const was = leaves(old)
    return [...leaves(now)]
      .filter(([key, value]) => was.has(key) && !isDeepStrictEqual(was.get(key), value))
      .map(([key]) => key)
      .filter((key) => isDeepStrictEqual(shownOld.get(key), shownNow.get(key)))
  } catch (error) {
    // A file that does not parse is refused, and the parser says why.
    if (error instanceof AppError) return []
    throw error
  }
}

function leaves(value: unknown, at: readonly string[] = []): Map<string, unknown> {
  if (!isObject(value) || value instanceof Date) return new Map([[keyText([...at]), value]])
  return new Map(Object.entries(value).flatMap(([name, each]) => [...leaves(each, [...at, name])]))
}
