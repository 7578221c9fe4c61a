import type { Random } from './random.ts'
import { LABELS, PEOPLE, TYPES, WORDS, type World } from './tasks.ts'

/** One or a few commands that a person might type next. */
export type Maker = (random: Random, world: World) => readonly (readonly string[])[]

const UNKNOWN = 'zzzzzzzz'
const STATUSES = ['open', 'in_progress', 'blocked', 'deferred', 'closed']

/** Mostly an existing task, sometimes by the end of its id, rarely an unknown one. */
function id(random: Random, { ids }: World): string {
  if (random.chance(0.05)) return UNKNOWN
  const whole = random.pick(ids)
  return random.chance(0.2) ? whole.slice('fleet-'.length) : whole
}

const json = (random: Random, share = 0.4): string[] => (random.chance(share) ? ['--json'] : [])
const one = (...argv: string[]): string[][] => [argv]

/** A random choice of flags that are allowed together. */
function flags(random: Random, all: readonly (readonly string[])[], share = 0.3): string[] {
  return random.some(all, share).flat()
}

const update: Maker = (random, world) => {
  const fields = flags(random, [
    ['-p', String(random.below(5))],
    ['--title', `${random.pick(WORDS)} again`],
    ['-d', `Now ${random.pick(WORDS)}`],
    ['--append-notes', 'more notes'],
    ['-e', String(random.below(100))],
    ['--external-ref', `gh-${random.below(50)}`],
    ['--add-label', random.pick(LABELS)],
    ['--remove-label', random.pick(LABELS)],
    ['--set-metadata', `team=${random.pick(['web', 'app'])}`],
    ['--unset-metadata', 'points'],
    ['--design', 'another design'],
    ['-t', random.pick(TYPES.filter((type) => type !== 'epic'))],
    ['--due', random.pick(['', '2099-05-06', '+3d'])],
  ])
  return one('update', id(random, world), ...(fields.length === 0 ? ['-p', '1'] : fields), ...json(random))
}

const restatus: Maker = (random, world) => [
  [
    'update',
    id(random, world),
    '-s',
    random.chance(0.1) ? 'nonsense' : random.pick(STATUSES),
    ...(random.chance(0.2) ? ['--force'] : []),
    ...json(random),
  ],
]

const reassign: Maker = (random, world) => [
  [
    ...random.pick([
      ['assign', id(random, world), random.pick([...PEOPLE, ''])],
      ['update', id(random, world), '--assignee', random.pick([...PEOPLE, ''])],
      ['update', id(random, world), '--if-assignee', random.pick([...PEOPLE, '']), '--assignee', random.pick(PEOPLE)],
    ]),
    ...json(random),
  ],
]

const claim: Maker = (random, world) =>
  one('update', id(random, world), '--claim', '--force', '--actor', random.pick(PEOPLE), ...json(random))

const close: Maker = (random, world) => [
  [
    'close',
    ...random.take(world.ids, 1 + random.below(2)),
    ...(random.chance(0.5) ? ['--reason', 'done well'] : []),
    ...(random.chance(0.4) ? ['--force'] : []),
    ...json(random),
  ],
]

const reopen: Maker = (random, world) =>
  one('reopen', id(random, world), ...(random.chance(0.3) ? ['--reason', 'again'] : []), ...json(random))

const note: Maker = (random, world) => one('note', id(random, world), random.pick(WORDS), ...json(random))
const comment: Maker = (random, world) => {
  const on = random.pick(world.ids)
  return [
    ['comment', on, random.pick(WORDS), ...json(random)],
    ['comments', on, '--json'],
  ]
}

/** Followed by a note: a label counts as an update in fleet, but not in bd. */
const label: Maker = (random, world) => {
  const on = random.pick(world.ids)
  return [
    ['label', random.pick(['add', 'remove']), on, random.pick(LABELS), ...json(random)],
    ['note', on, 'labelled'],
    ['label', 'list', on, ...json(random)],
  ]
}

const defer: Maker = (random, world) => {
  const on = id(random, world)
  return random.chance(0.6)
    ? one(
        'defer',
        on,
        ...flags(random, [
          ['--until', '+6h'],
          ['--reason', 'not yet'],
        ]),
        ...json(random),
      )
    : one('undefer', on, ...json(random))
}

const depend: Maker = (random, world) => {
  const [from, to] = random.take(world.ids, 2) as [string, string]
  return random.chance(0.7)
    ? one(
        'dep',
        'add',
        from,
        to,
        ...(random.chance(0.5) ? ['-t', random.pick(['related', 'tracks', 'caused-by'])] : []),
        ...json(random),
      )
    : one('dep', 'remove', from, to, ...json(random))
}

const remove: Maker = (random, world) => one('delete', random.pick(world.ids), '--force', ...json(random))

const create: Maker = (random, world) => {
  const id = `fleet-n${random.below(1000)}`
  const fields = flags(random, [
    ['-p', String(random.below(5))],
    ['-t', random.pick(TYPES)],
    ['-l', random.take(LABELS, 2).join(',')],
    ['-d', `About ${random.pick(WORDS)}`],
    ['-a', random.pick(PEOPLE)],
    ['--deps', `discovered-from:${random.pick(world.ids)}`],
    ['-e', '15'],
  ])
  return [
    ['create', random.pick(WORDS), '--id', id, '--silent', ...fields],
    ['show', id, '--json'],
  ]
}

const list: Maker = (random, world) => [
  [
    'list',
    ...flags(
      random,
      [
        ['--status', random.pick([...STATUSES, 'all', 'open,blocked'])],
        ['--type', random.pick(TYPES)],
        ['--label', random.pick(LABELS)],
        ['--assignee', random.pick(PEOPLE)],
        ['--priority-max', String(random.below(5))],
        ['--title-contains', random.pick(['a', 'box', 'LOG'])],
        ['--exclude-type', 'epic'],
        ['--no-labels'],
        ['--parent', random.pick(world.epics)],
        ['--metadata-field', 'team=web'],
      ],
      0.15,
    ),
    ...random.pick([[], ['--all'], ['--limit', '3']]),
    '--sort',
    random.pick(['priority', 'id', 'title', 'created', 'status', 'type', 'assignee']),
    ...random.pick([['--json'], ['--flat'], ['--flat', '--long'], ['--flat', '--reverse'], []]),
  ],
]

const ready: Maker = (random) => [
  [
    'ready',
    ...flags(
      random,
      [
        ['--label', random.pick(LABELS)],
        ['--unassigned'],
        ['--priority', String(random.below(5))],
        ['--type', random.pick(TYPES.filter((type) => type !== 'epic'))],
        ['--include-deferred'],
      ],
      0.2,
    ),
    '--exclude-type',
    'epic',
    ...json(random),
  ],
]

const show: Maker = (random, world) =>
  one('show', id(random, world), ...random.pick([['--json'], ['--json'], ['--short'], []]))

const count: Maker = (random) =>
  one(
    'count',
    ...flags(random, [
      ['--status', random.pick(STATUSES)],
      ['--type', random.pick(TYPES)],
    ]),
    ...random.pick([[], ['--by-status'], ['--by-type'], ['--by-label'], ['--by-assignee'], ['--by-priority']]),
    ...json(random),
  )

const search: Maker = (random) =>
  one(
    'search',
    random.pick(['a', 'box', 'docs', 'gh-1', 'fleet']),
    ...flags(random, [['--status', random.pick(STATUSES)], ['--long']]),
    ...json(random),
  )

const look: Maker = (random, world) =>
  random.pick([
    one('blocked', ...json(random)),
    one('epic', 'status', ...json(random)),
    one('children', random.pick(world.ids), ...json(random)),
    one('dep', 'list', random.pick(world.ids), ...(random.chance(0.5) ? ['--direction', 'up'] : []), ...json(random)),
    one('dep', 'list', ...random.take(world.ids, 2), ...json(random)),
    one('stale', '--days', '30', ...(random.chance(0.5) ? ['--status', random.pick(STATUSES)] : []), ...json(random)),
    one('label', 'list-all', ...json(random)),
    one('export'),
  ])

/** Conditions whose order does not matter. */
const CONDITIONS = [
  'status=open',
  'status!=closed',
  'priority<=2',
  'priority>1',
  'priority=0',
  'type=bug',
  'type!=epic',
  'assignee=bob',
  'assignee=none',
  'label=ui',
  'label=none',
  'label=team:web',
  'title=a',
  'description=none',
  'notes=note',
  'created>2026-03-01',
  'created<2020-01-01',
  'updated<1d',
  'updated>1d',
  'id="fleet-g1*"',
  'metadata.team=web',
  'has_metadata_key=points',
  'pinned=false',
]

function expression(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.3)) return `${random.chance(0.2) ? 'NOT ' : ''}${random.pick(CONDITIONS)}`
  // Two conditions on one field under AND: in bd the last one wins. A random choice rarely has such a pair.
  const [left, right] = random.take(CONDITIONS, 2) as [string, string]
  if (random.chance(0.4) && left.slice(0, 3) !== right.slice(0, 3)) return `${left} AND ${right}`
  return `(${expression(random, depth - 1)} OR ${expression(random, depth - 1)})`
}

const query: Maker = (random) =>
  one(
    'query',
    expression(random, 2),
    ...flags(random, [['--all'], ['--limit', '3'], ['--reverse']], 0.2),
    '--sort',
    random.pick(['id', 'title', 'priority', 'created']),
    ...json(random),
  )

const WRITES: readonly Maker[] = [
  update,
  update,
  restatus,
  reassign,
  claim,
  close,
  close,
  reopen,
  note,
  comment,
  label,
  defer,
  depend,
  depend,
  remove,
  create,
]
const READS: readonly Maker[] = [list, list, ready, show, show, count, search, look, look, query, query]

export function commands(random: Random, world: World): readonly (readonly string[])[] {
  return random.pick(random.chance(0.55) ? WRITES : READS)(random, world)
}
