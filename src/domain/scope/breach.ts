import type { Changes } from '../run/changes.ts'
import { type Outcome, type OutcomeCode, RULES } from '../run/outcome.ts'
import { pluralize } from '../text/pluralize.ts'
import { isBounded, type Scope, scopeText, writable } from './scope.ts'

/** Something that a run did outside of its bounds. */
export interface Breach {
  /** Below the top folder of the checkout or the directory; absolute: elsewhere. Of `unseen`: why nobody can tell. */
  readonly path: string
  readonly why: BreachKind
}

/**
 * `scope`: a change that its scope does not cover; `read-only`: any change of a task that may make none; `unseen`: it is
 * bounded, and its changes cannot be determined.
 */
export type BreachKind = 'scope' | 'read-only' | 'unseen'

export interface BoundsFacts {
  readonly scope: Scope
  /** Its own changes, and those of the attempts that it continues; undefined: nobody looked. */
  readonly changes: Changes | undefined
  /** Files among them that are as they were before the first of these attempts. */
  readonly undone?: ReadonlySet<string> | undefined
  /** The place that the task names for its evidence, spelled as changes are; undefined: none. */
  readonly asked?: string | undefined
  /** Paths that a person has let through before. */
  readonly approved: ReadonlySet<string>
}

/** What a person would have to let through. */
export function breachesOf({ scope, changes, undone, asked, approved }: BoundsFacts): readonly Breach[] {
  if (!isBounded(scope) || changes === undefined) return []
  const allowed = writable(scope)
  const why = scope.readOnly ? 'read-only' : 'scope'
  const paths = [...changes.files, ...(changes.weak ?? []).map(({ path }) => path)]
  const outside = [...new Set(paths)]
    .filter((path) => !allowed(path) && !isAt(path, asked) && !undone?.has(path))
    .sort()
  const commits = scope.readOnly && paths.length === 0 ? changes.commits : []
  const unseen = changes.unknown === undefined ? [] : [{ path: changes.unknown, why: 'unseen' as const }]
  const found = [...outside, ...commits.map((id) => `commit ${id}`)].map((path) => ({ path, why }) as const)
  return [...found, ...unseen].filter(({ path }) => !approved.has(path))
}

function isAt(path: string, place: string | undefined): boolean {
  return place !== undefined && place !== '' && (path === place || path.startsWith(`${place}/`))
}

/** Ways of an outcome on which its work, or its agent, would go on. A run that a person or a lane holds up is judged later. */
const GOES_ON: ReadonlySet<string> = new Set(['close', 'retry', 'go-on', 'hand-over'])
const WAITS: ReadonlySet<OutcomeCode> = new Set(['needs-review', 'needs-landing'])

/** The outcome of a run that left its bounds: a person decides. `otherwise`: the outcome that an approval brings about. */
export function judgedByBounds(outcome: Outcome, breaches: readonly Breach[], scope: Scope): Outcome {
  if (breaches.length === 0) return outcome
  if (!GOES_ON.has(RULES[outcome.code].fate) && !WAITS.has(outcome.code)) return outcome
  return {
    code: 'out-of-scope',
    text: breachText(breaches, scope),
    details: `Undo what is outside of your scope, and do the task without it:\n${listed(breaches, MOST_LISTED)}`,
    otherwise: outcome,
  }
}

const MOST_NAMED = 5
const MOST_LISTED = 100

/** One sentence for people and for the next attempt. */
export function breachText(breaches: readonly Breach[], scope: Scope): string {
  const unseen = breaches.find(({ why }) => why === 'unseen')
  const rest = breaches.filter(({ why }) => why !== 'unseen')
  const named = rest.slice(0, MOST_NAMED).map(({ path }) => path)
  const more = rest.length > MOST_NAMED ? `, and ${rest.length - MOST_NAMED} more` : ''
  const changed = `changed ${named.join(', ')}${more}`
  const counted = rest.length > 1 ? ` (${pluralize(rest.length, 'change')})` : ''
  const bound = scope.readOnly ? 'and may change nothing: it is read-only' : `outside of its scope ${scopeText(scope)}`
  const parts = [
    ...(rest.length === 0 ? [] : [`${changed}${counted}, ${bound}`]),
    ...(unseen === undefined ? [] : [`nobody can tell whether it kept to its scope: ${unseen.path}`]),
  ]
  return parts.join('; ')
}

function listed(breaches: readonly Breach[], most: number): string {
  const lines = breaches.slice(0, most).map(({ path }) => `- ${path}`)
  return [...lines, ...(breaches.length > most ? [`- and ${breaches.length - most} more`] : [])].join('\n')
}
