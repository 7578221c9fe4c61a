/** How an edge reads from either of its ends. */
export interface Relation {
  /** From the task that depends. */
  readonly down: string
  /** From the task that is depended on. */
  readonly up: string
  readonly downGlyph: string
  readonly upGlyph: string
}

const arrow = (down: string, up: string): Relation => ({ down, up, downGlyph: '→', upGlyph: '←' })
const both = (name: string, glyph: string): Relation => ({ down: name, up: name, downGlyph: glyph, upGlyph: glyph })

/** In the order they are shown; custom types follow by name, what is merely related comes last. */
const RELATIONS: ReadonlyMap<string, Relation> = new Map<string, Relation>([
  ['parent-child', { down: 'PARENT', up: 'CHILDREN', downGlyph: '↑', upGlyph: '↳' }],
  ['blocks', arrow('DEPENDS ON', 'BLOCKS')],
  ['conditional-blocks', arrow('CONDITIONALLY DEPENDS ON', 'CONDITIONALLY BLOCKS')],
  ['waits-for', arrow('WAITS FOR', 'AWAITED BY')],
  ['discovered-from', { down: 'DISCOVERED FROM', up: 'DISCOVERED', downGlyph: '◊', upGlyph: '◊' }],
  ['replies-to', arrow('IN REPLY TO', 'REPLIES')],
  ['duplicates', arrow('DUPLICATE OF', 'DUPLICATED BY')],
  ['supersedes', arrow('SUPERSEDED BY', 'SUPERSEDES')],
  ['authored-by', arrow('AUTHORED BY', 'AUTHORED')],
  ['assigned-to', arrow('ASSIGNED TO', 'ASSIGNED')],
  ['approved-by', arrow('APPROVED BY', 'APPROVED')],
  ['attests', arrow('ATTESTS', 'ATTESTED BY')],
  ['tracks', arrow('TRACKS', 'TRACKED BY')],
  ['until', arrow('ACTIVE UNTIL', 'KEEPS ACTIVE')],
  ['caused-by', arrow('CAUSED BY', 'CAUSED')],
  ['validates', arrow('VALIDATES', 'VALIDATED BY')],
  ['delegated-from', arrow('DELEGATED FROM', 'DELEGATED TO')],
  ['related', both('RELATED', '↔')],
])

export function relationOf(type: string): Relation {
  return RELATIONS.get(type) ?? arrow(type.toUpperCase(), `${type.toUpperCase()} (INBOUND)`)
}

/** The two symmetric types are one relation, whichever way the edge points. */
export function isRelated(type: string): boolean {
  return type === 'related' || type === 'relates-to'
}

/** Edges by their type, in the order the types are shown. */
export function byRelation<T>(edges: readonly T[], typeOf: (edge: T) => string): { type: string; edges: T[] }[] {
  const groups = new Map<string, T[]>()
  for (const edge of edges) {
    const type = isRelated(typeOf(edge)) ? 'related' : typeOf(edge)
    const group = groups.get(type) ?? []
    group.push(edge)
    groups.set(type, group)
  }
  const known = [...RELATIONS.keys()].filter((type) => groups.has(type))
  const custom = [...groups.keys()].filter((type) => !RELATIONS.has(type)).sort()
  return [...known, ...custom].map((type) => ({ type, edges: groups.get(type) ?? [] }))
}
