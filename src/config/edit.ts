import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_CODER } from '../coders/registry.ts'
import { AppError } from '../errors.ts'
import { exclusively } from '../platform/sqlite/exclusively.ts'
import type { HomeQueueName } from '../queues/kind.ts'
import { queueKindOf } from '../queues/registry.ts'
import { ownModel, type Raw } from './check.ts'
import { findSetting, keyText, parseKey } from './key.ts'
import type { Kind } from './kinds.ts'
import { fileCodersBeside, parseToml, validated } from './load.ts'
import { isReserved } from './not-yet.ts'
import { type Change, changed, patched, valueAt } from './patch.ts'
import { shown } from './problem.ts'
import type { Config } from './schema.ts'
import { template } from './template.ts'
import { type ConfigHome, configToEdit, writeConfig } from './write.ts'

export interface Edit extends Change {
  readonly before: unknown
}

export interface Edited {
  /** Only edits that changed a value. */
  readonly changes: readonly Edit[]
  /** Further messages for the user. */
  readonly notes: readonly string[]
}

/** `fleet config set k=v…`: applies all changes or none; keeps comments and layout. `own`: the queue inside the home. */
export async function editConfig(
  home: ConfigHome & { lock: string },
  assignments: readonly string[],
  { own }: { own: HomeQueueName } = { own: 'local' },
): Promise<Edited> {
  const path = home.config
  const asked = await Promise.all(assignments.map(parseAssignment))
  return await exclusively(home.lock, async () => {
    const text = configToEdit(home) ?? template()
    const before = await parseToml(text, path)
    const { changes, notes } = withModel(asked, before)
    const wanted = changes.reduce(changed, before)
    refuseOtherQueue(changes, validated(wanted, { path, fileCoders: fileCodersBeside(path) }), own)
    let next = text
    for (const change of changes) next = await patched(next, change)
    if (next !== text) writeConfig(home, next)
    const edits = changes.map((change) => ({ ...change, before: valueAt(before, change.key) }))
    return { changes: edits.filter((edit) => !isDeepStrictEqual(edit.before, edit.value)), notes }
  })
}

/** Parses one `key=value`. An empty value removes the setting from the file. */
export async function parseAssignment(text: string): Promise<Change> {
  const [, left, right] = /^((?:[^="']|"(?:[^"\\]|\\.)*"|'[^']*')+)=([\s\S]*)$/.exec(text) ?? []
  const key = left === undefined ? undefined : parseKey(left.trim())
  if (key === undefined || right === undefined) {
    throw new AppError('usage', `${shown(text)} is not key=value`, {
      hint: 'for example: fleet config set max_concurrent=5',
    })
  }
  const found = findSetting(key)
  if (isReserved(key)) return await reserved(key, right)
  if (found.kind === 'variable') return { key, value: right === '' ? undefined : right }
  if (found.kind === 'section') {
    throw new AppError('config', `${keyText(key)} is a table, not a setting`, {
      hint: 'name a setting in it; fleet config show lists them',
    })
  }
  if (found.kind === 'unknown') {
    const near = found.near === undefined ? '' : `, did you mean ${found.near}?`
    throw new AppError('config', `${keyText(key)} is not a setting fleet knows${near}`, {
      hint: 'nothing was changed; fleet config show lists the settings',
    })
  }
  if (right === '') return { key, value: undefined }
  const { kind } = found.setting
  const value = await typed(right, kind.bareWords)
  if (kind.read(value) === undefined) {
    throw new AppError(
      'config',
      `${keyText(key)} cannot be ${shown(value)}, expected ${kind.expects?.(value) ?? kind.expected}`,
      {
        hint: `nothing was changed; for example: fleet config set '${keyText(key)}=${kind.example}'`,
      },
    )
  }
  return { key, value }
}

/** A setting that a later version may know can be removed. */
function reserved(key: Change['key'], text: string): Change {
  if (text === '') return { key, value: undefined }
  throw new AppError('config', `${keyText(key)} is not available yet`, {
    hint: 'nothing was changed; fleet config show lists the settings',
  })
}

/** A bare word is a string if the setting is a string. Everything else is parsed as TOML. */
async function typed(text: string, bareWords: Kind<unknown>['bareWords']): Promise<unknown> {
  const isStructured = bareWords === 'unless-structured' && /^\s*[[{]/.test(text)
  if (bareWords !== false && !isStructured && !/^(".*"|'.*')$/s.test(text)) return text
  const { parse } = await import('smol-toml')
  try {
    const { value, ...more } = parse(`value = ${text}`)
    return Object.keys(more).length === 0 ? value : text
  } catch {
    return text
  }
}

/** A model belongs to its coder: changing only the coder also sets that coder's default model. */
function withModel(asked: readonly Change[], before: Raw): { changes: Change[]; notes: string[] } {
  const changes = new Map(asked.map((change) => [keyText(change.key), change]))
  const coder = changes.get('coder')
  const notes: string[] = []
  if (coder !== undefined && !changes.has('model')) {
    const after = [...changes.values()].reduce(changed, before)
    const name = typeof coder.value === 'string' ? coder.value : DEFAULT_CODER
    const model = ownModel({ coders: (valueAt(after, ['coders']) ?? {}) as Config['coders'] }, name)
    if (coder.value === undefined || model === undefined) changes.set('model', { key: ['model'], value: undefined })
    else changes.set('model', { key: ['model'], value: model })
    notes.push(
      model === undefined
        ? `model: fleet has no default for ${name}, its CLI chooses`
        : `model: ${model}, the default of ${name}`,
    )
  }
  return { changes: [...changes.values()], notes }
}

/** Changing `queue` does not move tasks, so only a server's queue or the home's own queue is accepted. */
function refuseOtherQueue(changes: readonly Change[], { queue }: Config, own: string): void {
  if (!changes.some((change) => keyText(change.key) === 'queue') || queue === own) return
  if (queueKindOf(queue)?.at === 'server') return
  throw new AppError('unsupported', `the tasks of this home are in its ${own} queue`, {
    hint: 'nothing was changed; fleet queue migrate --to ... moves them to another',
  })
}
