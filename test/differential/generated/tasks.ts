import type { Random } from './random.ts'

/** The tasks a generated script starts with and its commands refer to. */
export interface World {
  readonly jsonl: string
  readonly ids: readonly string[]
  readonly epics: readonly string[]
}

export const LABELS = ['ui', 'api', 'urgent', 'team:web']
export const PEOPLE = ['alice', 'bob', 'tester']
export const TYPES = ['task', 'bug', 'feature', 'chore', 'decision', 'epic']
export const WORDS = ['login', 'Search box', 'cart total', 'docs', 'API', 'Größe 🎈', 'a "quoted" word']

interface Line {
  readonly id: string
  readonly issue_type: string
  readonly dependencies: Record<string, string>[]
  readonly [field: string]: unknown
}

/** Four to seven tasks, each a second younger than the one before; edges lead only to older ones. */
export function world(random: Random): World {
  const lines: Line[] = []
  const count = 4 + random.below(4)
  for (let i = 0; i < count; i++) lines.push(line(random, lines, i))
  return {
    jsonl: lines.map((each) => JSON.stringify(each)).join('\n'),
    ids: lines.map(({ id }) => id),
    epics: lines.filter(({ issue_type }) => issue_type === 'epic').map(({ id }) => id),
  }
}

function line(random: Random, before: readonly Line[], i: number): Line {
  const issue_type = i === 0 ? 'epic' : random.pick(TYPES)
  const parents = before.filter((each) => each.issue_type === 'epic')
  const parent = issue_type !== 'epic' && random.chance(0.4) ? random.pick(parents) : undefined
  const children = parent === undefined ? 0 : before.filter((each) => each.id.startsWith(`${parent.id}.`)).length
  const id = parent === undefined ? `fleet-g${i}${random.pick(['ab', 'cd', 'ef'])}` : `${parent.id}.${children + 1}`
  const at = `2026-03-01T10:00:${String(i).padStart(2, '0')}Z`
  return {
    id,
    title: `${random.pick(WORDS)} ${i}`,
    issue_type,
    priority: random.below(5),
    created_at: at,
    updated_at: at,
    ...standing(random, issue_type),
    ...texts(random),
    ...(random.chance(0.5) ? { labels: random.some(LABELS) } : {}),
    dependencies: [
      ...(parent === undefined ? [] : [{ issue_id: id, depends_on_id: parent.id, type: 'parent-child' }]),
      ...edge(random, { id, issue_type }, before),
    ],
  }
}

function standing(random: Random, type: string): Record<string, unknown> {
  const status = random.pick(['open', 'open', 'open', 'open', 'in_progress', 'blocked', 'deferred', 'closed'])
  if (status === 'closed') return { status, closed_at: '2026-03-01T11:00:00Z', close_reason: 'done' }
  if (status === 'in_progress') return { status, assignee: random.pick(PEOPLE), started_at: '2026-03-01T10:30:00Z' }
  return { status: type === 'epic' ? 'open' : status, ...(random.chance(0.3) ? { assignee: random.pick(PEOPLE) } : {}) }
}

function texts(random: Random): Record<string, unknown> {
  return {
    ...(random.chance(0.4) ? { description: `It says ${random.pick(WORDS)}.` } : {}),
    ...(random.chance(0.2) ? { notes: 'noted' } : {}),
    ...(random.chance(0.2) ? { design: 'a design', acceptance_criteria: 'it works' } : {}),
    ...(random.chance(0.2) ? { estimated_minutes: 30 * random.below(5) } : {}),
    ...(random.chance(0.2) ? { external_ref: `gh-${random.below(100)}` } : {}),
    ...(random.chance(0.2) ? { due_at: '2099-01-02T03:04:05Z' } : {}),
    ...(random.chance(0.2) ? { metadata: { team: random.pick(['web', 'app']), points: random.below(9) } } : {}),
  }
}

/** A task may block a task and an epic an epic; bd refuses the rest. */
function edge(random: Random, from: { id: string; issue_type: string }, before: readonly Line[]) {
  const isEpic = from.issue_type === 'epic'
  const targets = before.filter((each) => (each.issue_type === 'epic') === isEpic && !from.id.startsWith(`${each.id}.`))
  if (targets.length === 0 || random.chance(0.5)) return []
  const type = random.pick(['blocks', 'blocks', 'blocks', 'related', 'discovered-from', 'tracks'])
  return [{ issue_id: from.id, depends_on_id: random.pick(targets).id, type }]
}
