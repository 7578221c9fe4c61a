import { isAbsolute } from 'node:path'
import { patternProblem } from '../domain/scope/scope.ts'
import { isBranchName } from '../domain/task/branch.ts'
import { durationMs } from '../domain/text/duration.ts'
import { sizeBytes } from '../domain/text/size.ts'
import type { VerifyCommand } from '../domain/verify/verification.ts'
import { QUEUE_KINDS, queueKindOf } from '../queues/registry.ts'

/** A kind of value: how to read it from the file and the command line, and how to describe it in messages. */
export interface Kind<T> {
  /** For messages and the reference: `a whole number from 1 to 1000`. */
  readonly expected: string
  /** A valid value, as typed after `key=`. */
  readonly example: string
  /** Returns undefined for a value of another kind. */
  read(value: unknown): T | undefined
  /** A more precise `expected` for one wrong value. */
  expects?(value: unknown): string
  /**
   * Text kinds accept a bare word on the command line; other kinds are parsed as TOML. `unless-structured`: what reads as a
   * TOML list or table is one, and everything else is a text.
   */
  readonly bareWords: boolean | 'unless-structured'
}

export function whole(min: number, max: number, example = min): Kind<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    example: String(example),
    read: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined,
    bareWords: false,
  }
}

export const onOff: Kind<boolean> = {
  expected: 'true or false',
  example: 'true',
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  bareWords: false,
}

export function text(what: string, example: string): Kind<string> {
  return { expected: what, example, read: (value) => (isText(value) ? value : undefined), bareWords: true }
}

export const branchName: Kind<string> = {
  expected: 'the name of a branch',
  example: 'main',
  read: (value) => (typeof value === 'string' && isBranchName(value) ? value : undefined),
  bareWords: true,
}

export function oneOf<const V extends readonly string[]>(values: V): Kind<V[number]> {
  return {
    expected: `one of ${values.join(', ')}`,
    example: values[0] ?? '',
    read: (value) => values.find((each) => each === value),
    bareWords: true,
  }
}

/** In milliseconds. With `none: true`, the value "none" means no limit. */
export function duration(example: string, more: { none?: boolean; least?: string; most?: string } = {}): Kind<number> {
  const { none = false, least = '100ms', most = '30d' } = more
  const leastMs = durationMs(least) ?? 0
  const mostMs = durationMs(most) ?? 0
  const what = `a duration such as "${example}"${none ? ', or "none"' : ''}`
  return {
    expected: `${what}, from ${least} to ${most}`,
    expects: (value) =>
      typeof value === 'string' && durationMs(value) === undefined ? what : `${what}, from ${least} to ${most}`,
    example,
    read: (value) => {
      if (typeof value !== 'string') return undefined
      if (value === 'none' && none) return Number.POSITIVE_INFINITY
      const millis = durationMs(value)
      return millis !== undefined && millis >= leastMs && millis <= mostMs ? millis : undefined
    },
    bareWords: true,
  }
}

/** In bytes. With `none: true`, the value "none" means no limit. */
export function size(example: string, { none = false, least }: { none?: boolean; least: string }): Kind<number> {
  return {
    expected: `a size such as "${example}"${none ? ', or "none"' : ''}, from ${least}`,
    example,
    read: (value) => {
      if (typeof value !== 'string') return undefined
      if (value === 'none' && none) return Number.POSITIVE_INFINITY
      const bytes = sizeBytes(value)
      return bytes !== undefined && bytes >= (sizeBytes(least) ?? 0) ? bytes : undefined
    },
    bareWords: true,
  }
}

export const queueName: Kind<string> = {
  expected: QUEUE_KINDS.map((kind) => kind.expected)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1'),
  example: 'local',
  read: (value) => (isText(value) && queueKindOf(value) !== undefined ? value : undefined),
  bareWords: true,
}

/** For the usage line of a command that takes a queue. */
export const queueUsage = QUEUE_KINDS.map((kind) => kind.usage).join('|')

/** A program and its arguments. */
export const argv: Kind<readonly string[]> = {
  expected: 'a list of words, the program first, such as ["my-agent", "--prompt-file", "{prompt_file}"]',
  example: '["my-agent", "{prompt_file}"]',
  read: (value) => (Array.isArray(value) && value.length > 0 && value.every(isText) ? value : undefined),
  bareWords: false,
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

export const variableNames: Kind<readonly string[]> = {
  expected: 'a list of variable names, with * at the end for a prefix, such as ["GH_TOKEN", "AWS_*"]',
  example: '["GH_TOKEN"]',
  read: (value) =>
    Array.isArray(value) && value.every((name) => isText(name) && VARIABLE.test(name.replace(/\*$/, '')))
      ? value
      : undefined,
  bareWords: false,
}

export const names: Kind<readonly string[]> = {
  expected: 'a list of words, such as ["linux", "gpu"]',
  example: '["linux"]',
  read: (value) =>
    Array.isArray(value) && value.every((each) => isText(each) && !/\s/.test(each)) ? value : undefined,
  bareWords: false,
}

/** Each is one line of a .gitignore. */
export const patterns: Kind<readonly string[]> = {
  expected: 'a list of patterns as in .gitignore, such as [".env*", "/local/"]',
  example: '[".env*"]',
  read: (value) =>
    Array.isArray(value) && value.every((each) => isText(each) && !/\p{Cc}/u.test(each)) ? value : undefined,
  bareWords: false,
}

/** Each is a path below the top folder of a repository, or a pattern of such paths. */
export const scopePatterns: Kind<readonly string[]> = {
  expected: 'a list of paths and patterns inside the project, such as ["src/a/**", "docs"]',
  example: '["src/**"]',
  read: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => isText(each) && patternProblem(each) === undefined)
      ? value
      : undefined,
  bareWords: false,
}

/** Places of this machine. */
export const places: Kind<readonly string[]> = {
  expected: 'a list of absolute paths, or of paths that begin with ~/, such as ["~/.cache/bazel"]',
  example: '["~/.cache/bazel"]',
  read: (value) =>
    Array.isArray(value) && value.every((each) => isText(each) && (isAbsolute(each) || each.startsWith('~/')))
      ? value
      : undefined,
  bareWords: false,
}

/** Paths of other machines, and the matching paths on this one. */
export const pathPairs: Kind<Readonly<Record<string, string>>> = {
  expected: 'absolute paths of other machines and where they are here, such as { "/home/ann/src" = "/srv/src" }',
  example: '{ "/home/ann/src" = "/srv/src" }',
  read: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const entries = Object.entries(value)
    const isOnline = (path: unknown) => isText(path) && (isAbsolute(path) || path === '~' || path.startsWith('~/'))
    return entries.every(([there, here]) => isAbsolute(there) && isOnline(here))
      ? Object.fromEntries(entries)
      : undefined
  },
  bareWords: false,
}

export const variables: Kind<Readonly<Record<string, string>>> = {
  expected: 'variables and their values, such as { MY_VAR = "1" }',
  example: '{ MY_VAR = "1" }',
  read: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const entries = Object.entries(value)
    return entries.every(([name, each]) => VARIABLE.test(name) && typeof each === 'string' && !each.includes('\0'))
      ? Object.fromEntries(entries)
      : undefined
  },
  bareWords: false,
}

/** One command, a list, or a table of named ones. An empty list or table means none. */
export const verifyCommands: Kind<readonly VerifyCommand[]> = {
  expected: 'a command such as "npm test", a list of them, or a table of named ones such as { test = "npm test" }',
  example: 'npm test',
  read: (value) => {
    if (isLine(value)) return [{ name: 'verify', command: value }]
    if (Array.isArray(value)) {
      return value.every(isLine) ? value.map((command, i) => ({ name: `verify ${i + 1}`, command })) : undefined
    }
    if (typeof value !== 'object' || value === null || value instanceof Date) return undefined
    const entries = Object.entries(value)
    const isNamed = entries.every(([name, command]) => /^[\w-]{1,40}$/.test(name) && isLine(command))
    return isNamed ? entries.map(([name, command]) => ({ name, command })) : undefined
  },
  bareWords: 'unless-structured',
}

function isLine(value: unknown): value is string {
  return isText(value) && !/\p{Cc}/u.test(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0')
}
