import { isAbsolute } from 'node:path'
import { coderNames, DEFAULT_CODER, descriptorOf } from '../coders/registry.ts'
import { nearest } from '../domain/text/nearest.ts'
import { absolutePath, realPathOf } from '../platform/files/paths.ts'
import { coderProblems } from './check-coders.ts'
import { findSetting, type Key, keyText } from './key.ts'
import { available } from './not-yet.ts'
import { type Problem, shown } from './problem.ts'
import { type Config, SETTINGS, type Section, type Setting } from './schema.ts'

/** A parsed TOML file before validation. */
export type Raw = Readonly<Record<string, unknown>>

export type Checked =
  | {
      readonly config: Config /** Settings of the file that are not available yet. */
      readonly withoutEffect: readonly string[]
    }
  | { readonly problems: readonly Problem[] }

/** Returns the configuration with all defaults, or all its problems. `fileCoders`: the coders in the `coders` folder. */
export function check(raw: Raw, fileCoders: readonly string[] = []): Checked {
  const problems: Problem[] = []
  const { rest, withoutEffect } = available(raw)
  const config = readSection(SETTINGS, rest, [], problems) as Config
  if (problems.length === 0) problems.push(...contradictions(config, fileCoders))
  if (problems.length > 0) return { problems }
  const model = config.model ?? ownModel(config, config.coder)
  return { config: { ...config, model, projects: byRealPath(config.projects) }, withoutEffect }
}

/** A coder's default model: the one in `[coders.<name>]`, or else fleet's own default. */
export function ownModel(config: Pick<Config, 'coders'>, coder: string): string | undefined {
  return config.coders[coder]?.model ?? descriptorOf(coder)?.defaultModel
}

export function knownCoders(config: Pick<Config, 'coders'>, fileCoders: readonly string[]): string[] {
  return [...new Set([...coderNames(), ...Object.keys(config.coders), ...fileCoders])]
}

function readSection(section: Section, raw: Raw, at: Key, problems: Problem[]): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(raw)) {
    if (!Object.hasOwn(section.members, name)) problems.push(unknownKey([...at, name], value))
  }
  for (const [name, node] of Object.entries(section.members)) {
    const key = [...at, name]
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined
    if (node.node === 'setting') {
      const given = value ?? node.default
      read[name] = given === undefined ? undefined : node.kind.read(given)
      if (given !== undefined && read[name] === undefined) problems.push(wrongValue(key, value, node))
    } else if (value !== undefined && !isTable(value)) {
      problems.push({ key, what: `is ${shown(value)}, expected a table [${keyText(key)}]`, fix: undefined })
    } else if (node.node === 'section') {
      read[name] = readSection(node, value ?? {}, key, problems)
    } else {
      const named: Record<string, unknown> = Object.create(null)
      for (const [own, table] of Object.entries(value ?? {})) {
        if (isTable(table)) named[own] = readSection(node.section, table, [...key, own], problems)
        else
          problems.push({
            key: [...key, own],
            what: `is ${shown(table)}, expected a table [${keyText([...key, own])}]`,
            fix: undefined,
          })
      }
      read[name] = named
    }
  }
  return read
}

/** Settings that are valid one by one, but not together. */
function contradictions(config: Config, fileCoders: readonly string[]): Problem[] {
  const problems: Problem[] = []
  const known = knownCoders(config, fileCoders)
  const requireKnown = (coder: string | undefined, key: Key) => {
    if (coder === undefined || known.includes(coder)) return
    const fix = `fleet config set ${keyText(key)}=${nearest(coder, known, 1)[0] ?? DEFAULT_CODER}`
    problems.push({ key, what: `is ${shown(coder)}, expected one of ${known.join(', ')}`, fix })
  }
  requireKnown(config.coder, ['coder'])
  for (const [path, project] of Object.entries(config.projects)) {
    requireKnown(project.coder, ['projects', path, 'coder'])
    requireKnown(project.review_by, ['projects', path, 'review_by'])
    const [twin] = Object.keys(config.projects).filter((other) => other !== path && isSamePlace(other, path))
    if (!isAbsolute(path) && path !== '~' && !path.startsWith('~/')) {
      problems.push({
        key: ['projects', path],
        what: 'is not an absolute path, expected one such as "/home/me/project" or "~/project"',
        fix: undefined,
      })
    } else if (twin !== undefined && twin < path) {
      const what = `is the same directory as ${keyText(['projects', twin])}, expected one table for both`
      problems.push({ key: ['projects', path], what, fix: undefined })
    }
  }
  problems.push(...coderProblems(config.coders, fileCoders))
  return problems
}

/** Tasks record real paths, so a project written with `~`, a trailing slash or a link has to be found under its own. */
function byRealPath(projects: Config['projects']): Config['projects'] {
  return Object.fromEntries(Object.entries(projects).map(([path, table]) => [placeOf(path), table]))
}

function isSamePlace(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other)
}

function placeOf(path: string): string {
  return realPathOf(absolutePath(path, '/'))
}

function wrongValue(key: Key, value: unknown, setting: Setting<unknown>): Problem {
  const { kind } = setting
  const expected = kind.expects?.(value) ?? kind.expected
  return {
    key,
    what: `is ${shown(value)}, expected ${expected}`,
    fix: `fleet config set ${quoted(`${keyText(key)}=${kind.example}`)}`,
  }
}

function unknownKey(key: Key, value: unknown): Problem {
  const found = findSetting(key)
  const near = found.kind === 'unknown' ? found.near : undefined
  const what = isTable(value) ? 'is not a table fleet knows' : 'is not a setting fleet knows'
  return { key, what: near === undefined ? what : `${what}, did you mean ${near}?`, fix: undefined }
}

/** Quotes a word for the shell. */
function quoted(word: string): string {
  return /[^\w.=:/@+-]/.test(word) ? `'${word}'` : word
}

function isTable(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
