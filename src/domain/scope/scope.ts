import { choice } from '../verify/path-pattern.ts'

/** Where a task may write. */
export interface Scope {
  /** It changes nothing; its output goes into its artifacts. */
  readonly readOnly: boolean
  /** Patterns of paths below the top folder of its checkout, or of its directory; undefined: anywhere in the project. */
  readonly writes?: readonly string[]
}

export const UNBOUNDED: Scope = { readOnly: false }

/** The user's settings for one task, or for a project. */
export interface ScopeSettings {
  readonly scope?: string | undefined
  readonly read_only?: string | undefined
}

export interface ProjectScope {
  readonly scope: readonly string[] | undefined
  readonly readOnly: boolean
}

/** What a task says about itself wins over what its project says. */
export function scopeOf(task: ScopeSettings, project: ProjectScope): Scope {
  const readOnly = task.read_only === undefined ? project.readOnly : task.read_only === 'true'
  const writes = task.scope === undefined ? project.scope : patternsOf(task.scope)
  return { readOnly, ...(writes !== undefined && { writes }) }
}

export function isBounded({ readOnly, writes }: Scope): boolean {
  return readOnly || writes !== undefined
}

/** The patterns of a setting: separated by commas, those within braces apart. */
export function patternsOf(text: string): readonly string[] {
  const found: string[] = []
  let depth = 0
  let pattern = ''
  for (const char of text) {
    if (char === ',' && depth === 0) {
      found.push(pattern)
      pattern = ''
      continue
    }
    if (char === '{') depth++
    if (char === '}') depth = Math.max(0, depth - 1)
    pattern += char
  }
  return [...found, pattern].map((each) => each.trim()).filter((each) => each !== '')
}

/** Why it can be no pattern of a scope; undefined: it can. */
export function patternProblem(pattern: string): string | undefined {
  const path = pattern.replace(/^!/, '')
  if (path.trim() === '') return 'is empty'
  if (path.startsWith('~')) return 'begins with ~, and a scope lies inside the project'
  if (/\p{Cc}/u.test(path)) return 'has a control character in it'
  if (patternsOf(path).length !== 1) return 'has a comma in it: give two patterns'
  if (path.split('/').includes('..')) return 'leaves the project with ..'
  return undefined
}

/** Whether a path below the top folder may be written. A pattern that matches a folder is for all that is in it. */
export function writable({ readOnly, writes }: Scope): (path: string) => boolean {
  if (readOnly) return () => false
  if (writes === undefined) return () => true
  const chosen = choice(writes.map(anchored))
  return (path) => chosen(path) === true
}

/** In .gitignore a name without a slash is found at any depth; a scope is as narrow as it looks. */
function anchored(pattern: string): string {
  const [, out = '', path = ''] = /^(!?)(?:\.?\/)*(.*)$/s.exec(pattern) ?? []
  return `${out}/${path}`
}

/** `src/a/**, docs`, or `nothing (read-only)`. */
export function scopeText({ readOnly, writes }: Scope): string {
  if (readOnly) return 'nothing (read-only)'
  return writes === undefined ? 'anything in the project' : writes.join(', ')
}
