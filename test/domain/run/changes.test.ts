import { expect, test } from 'vitest'
import type { FoundChanges } from '../../../src/domain/evidence/found-changes.ts'
import { recordedChanges, showsWork, withEarlierChanges } from '../../../src/domain/run/changes.ts'

const NOTHING = { files: [], commits: [], artifacts: [] }

test('evidence is the changes of the run itself, and those of earlier attempts that are still there', () => {
  const own = { files: ['b'], commits: ['own'], artifacts: [] }
  const since: FoundChanges = {
    files: ['a', 'b', 'mine'].map((path) => ({ path, when: undefined })),
    commits: ['own', 'first', 'other'].map((id) => ({ id, when: { from: 0, to: 0 }, paths: [] })),
    artifacts: ['mine.md', 'report.md'],
  }
  const earlier = [
    { files: ['a', 'undone'], commits: ['first'], artifacts: [] },
    { files: ['b'], commits: [], artifacts: ['report.md', 'undone.md'] },
  ]
  expect(withEarlierChanges(own, since, earlier)).toEqual({
    files: ['a', 'b'],
    commits: ['own', 'first'],
    artifacts: ['report.md'],
  })
})

test('branches, tags and weak changes of earlier attempts are kept as long as they are there', () => {
  const since: FoundChanges = {
    ...NOTHING,
    files: [
      { path: 'PLAN.md', when: undefined, weak: 'notes' },
      { path: 'empty.txt', when: undefined, weak: 'blank' },
    ],
    refs: ['refs/tags/v1', 'refs/heads/other'].map((name) => ({ name, when: { from: 0, to: 0 } })),
  }
  const earlier = [
    { ...NOTHING, refs: ['refs/tags/v1', 'refs/tags/gone'], weak: [{ path: 'PLAN.md', why: 'notes' as const }] },
  ]
  const own = { ...NOTHING, refs: [], untraced: { files: [], commits: [], refs: ['refs/tags/v1'] } }
  expect(withEarlierChanges(own, since, earlier)).toEqual({
    ...NOTHING,
    refs: ['refs/tags/v1'],
    weak: [{ path: 'PLAN.md', why: 'notes' }],
  })
})

test('the reason is kept if changes could not be determined', () => {
  expect(withEarlierChanges(NOTHING, { ...NOTHING, unknown: 'no git' }, [])).toEqual({ ...NOTHING, unknown: 'no git' })
  expect(withEarlierChanges({ ...NOTHING, unknown: 'no git' }, NOTHING, [])).toEqual({ ...NOTHING, unknown: 'no git' })
})

test('only the first of many changes are recorded, and no changes give no record', () => {
  const many = Array.from({ length: 150 }, (_, n) => `${n}`)
  const all = { files: many, commits: many, artifacts: many }
  expect(recordedChanges(all)).toEqual({
    files: many.slice(0, 100),
    commits: many.slice(0, 20),
    artifacts: many.slice(0, 100),
  })
  expect(recordedChanges({ ...NOTHING, unknown: 'no git' })).toBeUndefined()
  const weak = [{ path: 'PLAN.md', why: 'notes' as const }]
  const told = [recordedChanges({ ...NOTHING, refs: ['refs/tags/v1'] }), recordedChanges({ ...NOTHING, weak })]
  expect(told).toEqual([
    { ...NOTHING, refs: ['refs/tags/v1'] },
    { ...NOTHING, weak },
  ])
  expect(told.map((each) => each && showsWork(each))).toEqual([true, false])
})
