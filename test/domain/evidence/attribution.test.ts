import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attributed, needsTraces } from '../../../src/domain/evidence/attribution.ts'
import type { FoundChanges, Origin } from '../../../src/domain/evidence/found-changes.ts'
import { EVERYWHERE, type Reach, type Work } from '../../../src/domain/evidence/work.ts'

const NONE: FoundChanges = { files: [], commits: [], artifacts: [] }
const at = (ms: number) => ({ from: ms, to: ms })
const file = (path: string, ms: number): FoundChanges => ({ ...NONE, files: [{ path, when: at(ms) }] })
const commit = (id: string, ms: number, ...paths: readonly string[]): FoundChanges => ({
  ...NONE,
  commits: [{ id, when: at(ms), paths, origin: 'here' }],
})
const ref = (name: string, ms: number, origin?: Origin): FoundChanges => ({
  ...NONE,
  refs: [{ name, when: at(ms), ...(origin !== undefined && { origin }) }],
})
const reach = (more: Partial<Reach>): Reach => ({ tree: false, repository: false, elsewhere: [], ...more })
const shared = (found: FoundChanges, own: Work, others: readonly Work[]) =>
  attributed(found, { own: [own], others, isApart: false })
const apart = (found: FoundChanges, own: Work, others: readonly Work[]) =>
  attributed(found, { own: [own], others, isApart: true })
/** A run of ten minutes with one tool call. */
const run = (more: Partial<Work> = {}): Work => ({
  life: { from: 0, to: 600_000 },
  named: new Set(),
  open: [{ from: 100_000, to: 110_000 }],
  left: [],
  reach: EVERYWHERE,
  ...more,
})
const files = (found: FoundChanges, own: Work, ...others: readonly Work[]) => shared(found, own, others).files
const commits = (found: FoundChanges, own: Work, ...others: readonly Work[]) => shared(found, own, others).commits

test('a change to a file that a tool names belongs to its run, whenever it happened', () => {
  expect(files(file('a', 300_000), run({ named: new Set(['a']) }), run({ open: undefined }))).toEqual(['a'])
})

test('a change while only this run had a tool open belongs to it', () => {
  const other = run({ open: [{ from: 200_000, to: 210_000 }] })
  expect(files(file('a', 105_000), run(), other)).toEqual(['a'])
  expect(files(file('a', 205_000), run(), other)).toEqual([])
})

test('a change while two runs had a tool open belongs to neither, unless one of them names it', () => {
  const found = file('a', 105_000)
  expect(shared(found, run(), [run()])).toEqual({ ...NONE, untraced: { files: ['a'], commits: [], refs: [] } })
  const namer = run({ named: new Set(['a']) })
  expect([files(found, namer, run()), shared(found, run(), [namer])]).toEqual([['a'], { ...NONE, ofOthers: ['a'] }])
})

test('a change while no tool was open belongs to nobody', () => {
  expect(shared(file('a', 300_000), run(), [])).toEqual({ ...NONE, untraced: { files: ['a'], commits: [], refs: [] } })
})

test('a process that a tool left behind may go on working, while no other run is on the tree', () => {
  const own = run({ left: [{ from: 110_000, to: 500_000 }] })
  const after = run({ life: { from: 400_000, to: 600_000 }, open: [] })
  expect(files(file('a', 300_000), own, after)).toEqual(['a'])
  expect(files(file('a', 450_000), own, after)).toEqual([])
  expect([50_000, 550_000].map((ms) => files(file('a', ms), own))).toEqual([[], []])
})

test('a change after the end of a run is not its work, even if its last tool was never answered', () => {
  const own = run({ life: { from: 0, to: 105_000 } })
  expect([104_000, 106_000].map((ms) => files(file('a', ms), own))).toEqual([['a'], []])
})

test('a change counts up to a tick of the kernel before a tool was open or after it, and no more', () => {
  expect([99_990, 110_010].map((ms) => files(file('a', ms), run()))).toEqual([['a'], ['a']])
  expect([99_900, 110_100].map((ms) => files(file('a', ms), run()))).toEqual([[], []])
})

test('a coder that shows no tools gets what changed while it was alone, and others get nothing while it is there', () => {
  const silent = run({ open: undefined, left: [{ from: 0, to: 600_000 }] })
  const late = run({ life: { from: 300_000, to: 600_000 }, open: [{ from: 400_000, to: 410_000 }] })
  expect([50_000, 405_000].map((ms) => files(file('a', ms), silent, late))).toEqual([['a'], []])
  expect(files(file('a', 405_000), late, silent)).toEqual([])
})

test('a deletion belongs to the only run that had a tool open since it began', () => {
  const gone: FoundChanges = { ...NONE, files: [{ path: 'a', when: { from: 0, to: 500_000 } }] }
  expect(files(gone, run(), run({ open: [] }))).toEqual(['a'])
  expect(files(gone, run(), run({ open: [{ from: 300_000, to: 300_100 }] }))).toEqual([])
})

test('a commit belongs to the run whose tool was open; if several were, to the one that names its files', () => {
  const other = run({ open: [{ from: 200_000, to: 210_000 }] })
  expect(commits(commit('c', 105_000, 'a'), run(), run({ ...other, named: new Set(['a']) }))).toEqual(['c'])
  const namer = run({ named: new Set(['a']) })
  expect(commits(commit('c', 105_000, 'a'), namer, run())).toEqual(['c'])
  expect(commits(commit('c', 105_000, 'a'), namer, namer)).toEqual([])
  expect(commits(commit('c', 105_000, 'a'), run(), run())).toEqual([])
})

test('a file that only a commit brought belongs to the run that made the commit', () => {
  const found = { ...commit('c', 105_000, 'a', 'b'), files: ['a', 'b'].map((path) => ({ path, when: undefined })) }
  const other = run({ open: [], named: new Set(['b']) })
  expect(shared(found, run(), [other])).toEqual({ ...NONE, files: ['a'], commits: ['c'], ofOthers: ['b'] })
  expect(shared(found, other, [run()])).toEqual({ ...NONE, files: ['b'], ofOthers: ['a'] })
})

test('a commit that was made in this checkout is no concern of runs in others; one made elsewhere is', () => {
  const neighbour = run({ reach: reach({ repository: true }) })
  const found = commit('c', 105_000, 'a')
  expect(commits(found, run(), neighbour)).toEqual(['c'])
  const elsewhere = { ...NONE, commits: found.commits.map(({ origin: _, ...more }) => more) }
  expect(shared(elsewhere, run(), [neighbour])).toEqual({
    ...NONE,
    untraced: { files: [], commits: ['c'], refs: [] },
  })
  expect(commits(elsewhere, run(), run({ reach: reach({ elsewhere: ['/'] }) }))).toEqual(['c'])
})

test('work of other tasks that fleet keeps and lands is no work of a run, with the files that it brings', () => {
  const found: FoundChanges = {
    ...NONE,
    files: [{ path: 'a', when: undefined }],
    commits: [{ id: 'c', when: at(105_000), paths: ['a'], origin: 'by fleet' }],
    refs: [{ name: 'refs/heads/main', when: at(105_000), origin: 'by fleet' }],
  }
  for (const judge of [shared, apart]) expect(judge(found, run(), [])).toEqual({ ...NONE, refs: [], ofOthers: ['a'] })
})

test('in a worktree of its task everything is its own, but not what it shares with others', () => {
  const idle = run({ open: [] })
  const busy = run({ reach: reach({ repository: true }) })
  expect(apart(file('a', 300_000), idle, [busy]).files).toEqual(['a'])
  expect(apart(commit('c', 300_000, 'a'), idle, [busy]).commits).toEqual(['c'])
  expect(apart(ref('refs/heads/own', 105_000, 'here'), idle, [busy]).refs).toEqual(['refs/heads/own'])
  expect(apart(ref('refs/tags/v1', 105_000), idle, [busy])).toEqual({ ...NONE, refs: [] })
  expect(apart(ref('refs/tags/v1', 105_000), run(), [busy])).toEqual({
    ...NONE,
    refs: [],
    untraced: { files: [], commits: [], refs: ['refs/tags/v1'] },
  })
  expect(apart(ref('refs/tags/v1', 105_000), run(), []).refs).toEqual(['refs/tags/v1'])
})

test('a file outside of its tree is shared with the runs that may write there', () => {
  const found = file('/reports/a.md', 105_000)
  const others = [reach({ tree: true, repository: true }), reach({ elsewhere: ['/reports/b.md', '/rep'] })]
  expect(others.map((reach) => apart(found, run(), [run({ reach })]).files)).toEqual(
    [found, found].map(() => ['/reports/a.md']),
  )
  for (const elsewhere of ['/', '/reports', '/reports/a.md'])
    expect(apart(found, run(), [run({ reach: reach({ elsewhere: [elsewhere] }) })])).toMatchObject({
      files: [],
      untraced: { files: ['/reports/a.md'] },
    })
  expect(apart(found, run({ open: [] }), [])).toMatchObject({ files: [] })
})

test('the traces of other runs matter only for what a worktree shares with them', () => {
  const shares = [
    file('/elsewhere', 1),
    ref('refs/tags/v1', 1),
    { ...NONE, commits: [{ id: 'c', when: at(1), paths: [] }] },
  ]
  const own = [
    NONE,
    file('a', 1),
    commit('c', 1),
    ref('refs/heads/own', 1, 'here'),
    ref('refs/heads/main', 1, 'by fleet'),
  ]
  expect([shares.map(needsTraces), own.map(needsTraces)]).toEqual([shares.map(() => true), own.map(() => false)])
})

const span = fc.tuple(fc.nat(1000), fc.nat(300)).map(([from, length]) => ({ from, to: from + length }))
const PATHS = ['a', 'b', 'c', 'd']
/** Two checkouts of one repository, and a folder. */
const TREES = [1, 2, 3]
const inTree = fc.constantFrom(...TREES)

interface PlacedRun extends Omit<Work, 'reach'> {
  readonly tree: number
}

const placedRun: fc.Arbitrary<PlacedRun> = fc.record({
  tree: inTree,
  life: fc
    .tuple(fc.nat(600), fc.integer({ min: 200, max: 2000 }))
    .map(([from, length]) => ({ from, to: from + length })),
  named: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }).map((names) => new Set(names)),
  open: fc.option(fc.array(span, { maxLength: 4 }), { nil: undefined }),
  left: fc.array(span, { maxLength: 2 }),
})

interface Happened {
  readonly files: readonly {
    readonly tree: number
    readonly path: string
    readonly when: FoundChanges['files'][number]['when']
  }[]
  /** `tree`: the checkout whose log knows of it; undefined: none does. */
  readonly commits: readonly {
    readonly tree: number | undefined
    readonly id: string
    readonly when: ReturnType<typeof at>
    readonly paths: readonly string[]
  }[]
  readonly refs: readonly {
    readonly tree: number | undefined
    readonly name: string
    readonly when: ReturnType<typeof at>
  }[]
}

const maybeIn = fc.option(fc.constantFrom(1, 2), { nil: undefined })
const happened: fc.Arbitrary<Happened> = fc.record({
  files: fc.uniqueArray(
    fc.record({ tree: inTree, path: fc.constantFrom(...PATHS), when: fc.option(span, { nil: undefined }) }),
    { maxLength: 5, selector: ({ tree, path }) => `${tree} ${path}` },
  ),
  commits: fc.uniqueArray(
    fc.record({
      tree: maybeIn,
      id: fc.uuid(),
      when: span,
      paths: fc.array(fc.constantFrom(...PATHS), { maxLength: 2 }),
    }),
    { maxLength: 3, selector: ({ id }) => id },
  ),
  refs: fc.uniqueArray(fc.record({ tree: maybeIn, name: fc.uuid(), when: span }), {
    maxLength: 2,
    selector: ({ name }) => name,
  }),
})

const isCheckout = (tree: number): boolean => tree < 3

/** As the look of one run finds it. */
function foundBy({ tree }: PlacedRun, { files, commits, refs }: Happened): FoundChanges {
  const originOf = (made: number | undefined) => (made === tree ? { origin: 'here' as const } : {})
  return {
    files: files.filter((each) => each.tree === tree).map(({ path, when }) => ({ path, when })),
    commits: isCheckout(tree) ? commits.map(({ tree, ...more }) => ({ ...more, ...originOf(tree) })) : [],
    refs: isCheckout(tree) ? refs.map(({ tree, ...more }) => ({ ...more, ...originOf(tree) })) : [],
    artifacts: [],
  }
}

function judged(own: PlacedRun, runs: readonly PlacedRun[], all: Happened) {
  const others = runs
    .filter((each) => each !== own)
    .map((each) => ({
      ...each,
      // A name in another tree is another file.
      named: each.tree === own.tree ? each.named : new Set<string>(),
      reach: reach({ tree: each.tree === own.tree, repository: isCheckout(each.tree) && isCheckout(own.tree) }),
    }))
  return shared(foundBy(own, all), { ...own, reach: EVERYWHERE }, others)
}

test('no change is given to two runs, unless both name or commit it, and none is invented or lost', () => {
  fc.assert(
    fc.property(happened, fc.array(placedRun, { minLength: 1, maxLength: 4 }), (all, runs) => {
      const given = runs.map((own) => ({ own, found: foundBy(own, all), changes: judged(own, runs, all) }))
      const owners = (kind: 'commits' | 'refs', id: string) =>
        given.filter(({ changes }) => changes[kind]?.includes(id)).length
      for (const { id } of all.commits) expect(owners('commits', id)).toBeLessThanOrEqual(1)
      for (const { name } of all.refs) expect(owners('refs', name)).toBeLessThanOrEqual(1)
      for (const { tree, path, when } of all.files) {
        const areTheirs = when === undefined && all.commits.filter(({ paths }) => paths.includes(path)).length > 1
        if (areTheirs) continue

        const there = given.filter(({ own }) => own.tree === tree)
        if (there.some(({ own }) => own.named.has(path))) continue
        expect(there.filter(({ changes }) => changes.files.includes(path)).length).toBeLessThanOrEqual(1)
      }
      for (const { found, changes } of given) {
        const { untraced = { files: [], commits: [], refs: [] } } = changes
        const told = {
          files: [...changes.files, ...untraced.files],
          commits: [...changes.commits, ...untraced.commits],
          refs: [...(changes.refs ?? []), ...untraced.refs],
        }
        expect(found.files.map(({ path }) => path)).toEqual(expect.arrayContaining(told.files))
        expect(found.commits.map(({ id }) => id)).toEqual(expect.arrayContaining(told.commits))
        expect(found.refs?.map(({ name }) => name)).toEqual(expect.arrayContaining(told.refs))
      }
    }),
  )
})

test('a run that names nothing, shows no open tool and leaves nothing behind is given nothing', () => {
  fc.assert(
    fc.property(happened, placedRun, fc.array(placedRun, { maxLength: 3 }), (all, one, others) => {
      const idle = { ...one, named: new Set<string>(), open: [], left: [] }
      expect(judged(idle, [idle, ...others], all)).toMatchObject({ files: [], commits: [], refs: [] })
    }),
  )
})
