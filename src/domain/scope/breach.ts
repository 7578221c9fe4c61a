import type { Changes } from '../run/changes.ts'
import { type Outcome, type OutcomeCode, RULES } from '../run/outcome.ts'
import { pluralize } from '../text/pluralize.ts'
import type { Refusal } from './judge-call.ts'
import { isBounded, type Scope, scopeText, writable } from './scope.ts'

/** Something that a run did outside of its bounds. */
export interface Breach {
  /** Below the top folder of the checkout or the directory; absolute: elsewhere. Of `unseen`: why nobody can tell. */
  readonly path: string
  readonly why: BreachKind
}

/**
 * `scope`: a change that its scope does not cover; `read-only`: any change of a task that may make none; `protected`: of
 * something that no task may change; `deletes`: of something outside of its project; `pushes`: it pushed, and has a scope;
 * `unseen`: it has a scope, and its changes cannot be determined.
 */
export type BreachKind = 'scope' | 'read-only' | 'protected' | 'deletes' | 'pushes' | 'unseen'

export interface BoundsFacts {
  readonly scope: Scope
  /** Its own changes, and those of the attempts that it continues; undefined: nobody looked. */
  readonly changes: Changes | undefined
  /** Files among them that are as they were before the first of these attempts. */
  readonly undone?: ReadonlySet<string> | undefined
  /** The place that the task names for its evidence, spelled as changes are; undefined: none. */
  readonly asked?: string | undefined
  /** Files of the project that no task may change. */
  readonly guarded?: readonly string[]
  /** Its tool calls that left its bounds. */
  readonly called?: readonly Pick<Refusal, 'what' | 'kind'>[]
  /** Changes that a person has let through before. */
  readonly approved: readonly Breach[]
}

/** What a person would have to let through. */
export function breachesOf(facts: BoundsFacts): readonly Breach[] {
  const { changes, guarded = [], called = [], undone, approved } = facts
  const inProject = [...new Set(changes?.files.filter((path) => guarded.includes(path) && !undone?.has(path)))]
  const found = [
    ...inProject.map((path) => ({ path, why: 'protected' as const })),
    ...called.flatMap(({ what, kind }) =>
      isBreach(kind) && !inProject.some((path) => what.endsWith(`/${path}`)) ? [{ path: what, why: kind }] : [],
    ),
    ...(changes === undefined ? [] : outsideScope(facts, changes).filter(({ path }) => !inProject.includes(path))),
  ]
  const known = new Set(approved.map(keyOf))
  return found.filter((each) => !known.has(keyOf(each)) && known.add(keyOf(each)))
}

function keyOf({ path, why }: Breach): string {
  return `${why} ${path}`
}

function isBreach(kind: Refusal['kind']): kind is Exclude<Refusal['kind'], 'unsure'> {
  return kind !== 'unsure'
}

function outsideScope({ scope, undone, asked }: BoundsFacts, changes: Changes): readonly Breach[] {
  if (!isBounded(scope)) return []
  const allowed = writable(scope)
  const why = scope.readOnly ? 'read-only' : 'scope'
  const paths = [...changes.files, ...(changes.weak ?? []).map(({ path }) => path)]
  const outside = [...new Set(paths)]
    .filter((path) => !allowed(path) && !isAt(path, asked) && !undone?.has(path))
    .sort()
  const commits = scope.readOnly && paths.length === 0 ? changes.commits : []
  const unseen = changes.unknown === undefined ? [] : [{ path: changes.unknown, why: 'unseen' as const }]
  const found = [...outside, ...commits.map((id) => `commit ${id}`)].map((path) => ({ path, why }) as const)
  return [...found, ...unseen]
}

function isAt(path: string, place: string | undefined): boolean {
  return place !== undefined && place !== '' && (path === place || path.startsWith(`${place}/`))
}

/** Ways of an outcome on which its work, or its agent, would go on. A run that a person or a lane holds up is judged later. */
const GOES_ON: ReadonlySet<string> = new Set(['close', 'retry', 'go-on', 'hand-over'])
const HELD: ReadonlySet<OutcomeCode> = new Set(['needs-review', 'needs-landing', 'told'])

/** The outcome of a run that left its bounds: a person decides. `otherwise`: the outcome that an approval brings about. */
export function judgedByBounds(outcome: Outcome, breaches: readonly Breach[], scope: Scope): Outcome {
  if (breaches.length === 0) return outcome
  if (!GOES_ON.has(RULES[outcome.code].fate) && !HELD.has(outcome.code)) return outcome
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
  const because: Record<BreachKind, (named: string) => string> = {
    scope: (named) => `changed ${named}, outside of its scope ${scopeText(scope)}`,
    'read-only': (named) => `changed ${named}, and may change nothing: it is read-only`,
    protected: (named) => `changed ${named}, which no task may change`,
    deletes: (named) => `deleted ${named}, which is no part of its work`,
    pushes: (named) => `called ${named}, and a task with a scope pushes nothing`,
    unseen: (named) => `nobody can tell whether it kept to its scope: ${named}`,
  }
  const kinds = [...new Set(breaches.map(({ why }) => why))]
  return kinds.map((kind) => because[kind](namedOf(breaches.filter(({ why }) => why === kind)))).join('; ')
}

function namedOf(breaches: readonly Breach[]): string {
  const named = breaches.slice(0, MOST_NAMED).map(({ path }) => path)
  const more = breaches.length > MOST_NAMED ? `, and ${breaches.length - MOST_NAMED} more` : ''
  return `${named.join(', ')}${more}${breaches.length > 1 ? ` (${pluralize(breaches.length, 'change')})` : ''}`
}

function listed(breaches: readonly Breach[], most: number): string {
  const lines = breaches.slice(0, most).map(({ path }) => `- ${path}`)
  return [...lines, ...(breaches.length > most ? [`- and ${breaches.length - most} more`] : [])].join('\n')
}
