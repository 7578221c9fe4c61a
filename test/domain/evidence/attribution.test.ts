import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attributed, type Work } from '../../../src/domain/evidence/attribution.ts'
import type { FoundChanges } from '../../../src/domain/evidence/found-changes.ts'

const NONE: FoundChanges = { files: [], commits: [], artifacts: [] }
const at = (ms: number) => ({ from: ms, to: ms })
const file = (path: string, ms: number): FoundChanges => ({ ...NONE, files: [{ path, when: at(ms) }] })
const commit = (id: string, ms: number, ...paths: readonly string[]): FoundChanges => ({
  ...NONE,
  commits: [{ id, when: at(ms), paths }],
})
/** A run of ten minutes with one tool call. */
const run = (more: Partial<Work> = {}): Work => ({
  life: { from: 0, to: 600_000 },
  named: new Set(),
  open: [{ from: 100_000, to: 110_000 }],
  left: [],
  ...more,
})
const files = (found: FoundChanges, own: Work, ...others: readonly Work[]) => attributed(found, own, others).files
const commits = (found: FoundChanges, own: Work, ...others: readonly Work[]) => attributed(found, own, others).commits

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
  expect(attributed(found, run(), [run()])).toEqual({ ...NONE, untraced: { files: ['a'], commits: [] } })
  const namer = run({ named: new Set(['a']) })
  expect([files(found, namer, run()), attributed(found, run(), [namer])]).toEqual([['a'], NONE])
})

test('a change while no tool was open belongs to nobody', () => {
  expect(attributed(file('a', 300_000), run(), [])).toEqual({ ...NONE, untraced: { files: ['a'], commits: [] } })
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
  expect(attributed(found, run(), [other])).toEqual({ ...NONE, files: ['a'], commits: ['c'] })
  expect(attributed(found, other, [run()])).toEqual({ ...NONE, files: ['b'] })
})

const span = fc.tuple(fc.nat(1000), fc.nat(300)).map(([from, length]) => ({ from, to: from + length }))
const work: fc.Arbitrary<Work> = fc.record({
  life: fc.constant({ from: 0, to: 2000 }),
  named: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }).map((names) => new Set(names)),
  open: fc.option(fc.array(span, { maxLength: 4 }), { nil: undefined }),
  left: fc.array(span, { maxLength: 2 }),
})
const found: fc.Arbitrary<FoundChanges> = fc.record({
  files: fc.array(fc.record({ path: fc.constantFrom('a', 'b', 'c', 'd'), when: fc.option(span, { nil: undefined }) }), {
    maxLength: 5,
  }),
  commits: fc.array(
    fc.record({ id: fc.uuid(), when: span, paths: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 2 }) }),
    { maxLength: 3 },
  ),
  artifacts: fc.constant([]),
})

test('no change is given to two runs, unless both name it, and none is invented or lost', () => {
  fc.assert(
    fc.property(found, fc.array(work, { minLength: 1, maxLength: 4 }), (changes, runs) => {
      const given = runs.map((own) =>
        attributed(
          changes,
          own,
          runs.filter((each) => each !== own),
        ),
      )
      for (const { id } of changes.commits)
        expect(given.filter((each) => each.commits.includes(id)).length).toBeLessThanOrEqual(1)
      const paths = changes.files.map(({ path }) => path)
      for (const path of new Set(paths)) {
        const isOnce = paths.filter((each) => each === path).length === 1
        const isNamed = runs.some(({ named }) => named.has(path))
        const owners = given.filter((each) => each.files.includes(path)).length
        if (isOnce && !isNamed) expect(owners).toBeLessThanOrEqual(1)
      }
      for (const { files, commits, untraced = { files: [], commits: [] } } of given) {
        expect(paths).toEqual(expect.arrayContaining([...files, ...untraced.files]))
        expect(changes.commits.map(({ id }) => id)).toEqual(expect.arrayContaining([...commits, ...untraced.commits]))
      }
    }),
  )
})

test('a run that names nothing and shows no open tool is given nothing', () => {
  const idle = run({ open: [] })
  fc.assert(
    fc.property(found, fc.array(work, { maxLength: 3 }), (changes, others) => {
      expect(attributed(changes, idle, others)).toMatchObject({ files: [], commits: [] })
    }),
  )
})
