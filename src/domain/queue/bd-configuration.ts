import { STATUSES } from '../task/task.ts'

/** The keys of bd's configuration that mean something here, and how their values are read. */

export const CUSTOM_STATUSES = 'status.custom'
export const CUSTOM_TYPES = 'types.custom'
export const LIST_LIMIT = 'list.limit'
export const ON_CREATE = 'validation.on-create'
export const ON_CLOSE = 'validation.on-close'
export const LINT_SECTIONS = 'lint.sections.'
export const REQUIRE_DESCRIPTION = 'create.require-description'
export const MAX_MEMORIES = 'prime.max-memories'
export const MAX_MEMORY_CHARS = 'prime.max-memory-chars'
/** For people's own use; fleet reads none of them. */
const OWN_KEYS = 'custom.'

type StatusCategory = 'active' | 'wip' | 'done' | 'frozen' | 'unspecified'

export interface CustomStatus {
  readonly name: string
  readonly category: StatusCategory
}

const CATEGORIES = ['active', 'wip', 'done', 'frozen']
const NAME = /^[a-z][a-z0-9_-]*$/
const MOST_STATUSES = 50

/** `review:wip,done-ish:done,plain`, or what is wrong with it, in bd's words. */
export function parseStatuses(value: string): readonly CustomStatus[] | string {
  const found = new Map<string, CustomStatus>()
  for (const part of value.split(',').map((each) => each.trim())) {
    if (part === '') continue
    const colon = part.indexOf(':')
    const name = colon === -1 ? part : part.slice(0, colon)
    const category = colon === -1 ? 'unspecified' : part.slice(colon + 1)
    if (category === '') return `invalid custom status ${JSON.stringify(part)}: trailing colon with empty category`
    if (colon !== -1 && !CATEGORIES.includes(category)) {
      return `invalid category ${JSON.stringify(category)} for status ${JSON.stringify(name)}: must be one of active, wip, done, frozen`
    }
    if (!NAME.test(name)) {
      return `invalid status name ${JSON.stringify(name)}: must match [a-z][a-z0-9_-]* (lowercase, letter-first, no spaces)`
    }
    if ((STATUSES as readonly string[]).includes(name)) {
      return `custom status ${JSON.stringify(name)} collides with built-in status`
    }
    if (found.has(name)) return `duplicate custom status name ${JSON.stringify(name)}`
    found.set(name, { name, category: category as StatusCategory })
  }
  if (found.size > MOST_STATUSES) return `too many custom statuses (${found.size}): maximum is ${MOST_STATUSES}`
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function parseTypes(value: string): readonly string[] {
  const names = value.split(',').map((each) => each.trim())
  return [...new Set(names.filter((each) => each !== ''))].sort()
}

/** bd reads a limit that is no number as no limit. */
export function parseLimit(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  return /^\s*\+?\d+\s*$/.test(value) ? Number(value) : 0
}

interface Key {
  readonly name: string
  /** Any key that begins with `name`. */
  readonly prefix?: true
  readonly about: string
  /** The problem with a value; undefined: it is valid. */
  problem?(value: string): string | undefined
}

const oneOf = (words: readonly string[]) => (value: string) =>
  words.includes(value) ? undefined : `${JSON.stringify(value)} is not one of ${words.join(', ')}`
const number = (value: string) =>
  /^\d+$/.test(value) ? undefined : `${JSON.stringify(value)} is not a number (0 means no limit)`
/** A type must be able to stand in an exported line, and an agent's claim looks at it. */
const typeNames = (value: string) => {
  const wrong = parseTypes(value).find((each) => !NAME.test(each))
  return wrong === undefined ? undefined : `invalid type name ${JSON.stringify(wrong)}: must match [a-z][a-z0-9_-]*`
}

/** Everything that `bd config set` accepts here. */
export const CONFIGURATION: readonly Key[] = [
  {
    name: CUSTOM_STATUSES,
    about: 'your own statuses: name:category,… (active, wip, done, frozen)',
    problem(value) {
      const read = parseStatuses(value)
      return typeof read === 'string' ? read : undefined
    },
  },
  { name: CUSTOM_TYPES, about: 'your own issue types, separated by commas', problem: typeNames },
  { name: LIST_LIMIT, about: 'how many issues list shows (0: all); BD_LIST_LIMIT overrides it', problem: number },
  {
    name: ON_CREATE,
    about: 'check the sections of new issues: none, warn or error',
    problem: oneOf(['none', 'warn', 'error']),
  },
  {
    name: ON_CLOSE,
    about: 'check the reasons of closing: none, warn or error',
    problem: oneOf(['none', 'warn', 'error']),
  },
  {
    name: REQUIRE_DESCRIPTION,
    about: 'refuse new issues without a description: true or false',
    problem: oneOf(['true', 'false']),
  },
  { name: LINT_SECTIONS, prefix: true, about: 'more sections that lint asks of a type, separated by commas' },
  { name: MAX_MEMORIES, about: 'how many memories prime prints (0: all)', problem: number },
  { name: MAX_MEMORY_CHARS, about: 'how many bytes of memories prime prints (0: all)', problem: number },
  { name: OWN_KEYS, prefix: true, about: 'values of your own' },
]

export function configurationKey(name: string): Key | undefined {
  return CONFIGURATION.find((key) =>
    key.prefix === true ? name.startsWith(key.name) && name.length > key.name.length : name === key.name,
  )
}
