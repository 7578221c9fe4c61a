import { expect, test } from 'vitest'
import type { HistoryEntry } from '../../../src/domain/task/history.ts'
import { BLANK_TASK } from '../../../src/domain/task/task.ts'
import { versionsOf } from '../../../src/domain/task/versions.ts'

const at = (second: number) => `2026-05-06T10:00:0${second}Z`

function entry(seq: number, kind: HistoryEntry['kind'], changes: HistoryEntry['changes'] = {}): HistoryEntry {
  return { seq, task: 'fleet-a', at: at(seq), actor: 'ann', kind, changes }
}

const NOW = { ...BLANK_TASK, id: 'fleet-a', title: 'New', created_at: at(1), updated_at: at(9) }

test('each version is the task with all later changes undone', () => {
  const closed = { ...NOW, status: 'closed', assignee: 'ann', closed_at: at(6), close_reason: 'done', labels: ['ui'] }
  const versions = versionsOf(closed, [
    entry(1, 'created'),
    entry(2, 'updated', { title: ['Old', 'New'], priority: [2, 0] }),
    entry(3, 'label_added', { label: [null, 'ui'] }),
    entry(4, 'label_removed', { label: ['api', null] }),
    entry(5, 'claimed', { status: ['open', 'in_progress'], assignee: ['', 'ann'] }),
    entry(6, 'closed', { status: ['in_progress', 'closed'], close_reason: ['', 'done'] }),
  ])
  const told = versions.map(({ entry: { kind }, after }) => [
    kind,
    after?.title,
    after?.priority,
    after?.labels.join(),
    after?.status,
    after?.assignee,
    after?.close_reason,
    after?.closed_at,
  ])
  expect(told).toEqual([
    ['closed', 'New', 0, 'ui', 'closed', 'ann', 'done', at(6)],
    ['claimed', 'New', 0, 'ui', 'in_progress', 'ann', '', null],
    ['label_removed', 'New', 0, 'ui', 'open', '', '', null],
    ['label_added', 'New', 0, 'api,ui', 'open', '', '', null],
    ['updated', 'New', 0, 'api', 'open', '', '', null],
    ['created', 'Old', 2, 'api', 'open', '', '', null],
  ])
  expect(versions[0]?.before).toEqual({ ...versions[1]?.after })
})

test('a supervisor’s claim and close are undone although their values are not recorded', () => {
  const versions = versionsOf({ ...NOW, status: 'closed', closed_at: at(3), close_reason: 'done' }, [
    entry(1, 'created'),
    entry(2, 'claimed'),
    entry(3, 'closed'),
  ])
  expect(versions.map(({ after }) => [after?.status, after?.assignee])).toEqual([
    ['closed', ''],
    ['in_progress', 'ann'],
    ['open', ''],
  ])
})

test('for a deleted task only the changes are known', () => {
  expect(versionsOf(undefined, [entry(1, 'created'), entry(2, 'deleted')])).toEqual([
    { entry: entry(2, 'deleted'), before: undefined, after: undefined },
    { entry: entry(1, 'created'), before: undefined, after: undefined },
  ])
})
