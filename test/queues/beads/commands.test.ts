import { expect, test } from 'vitest'
import { BLANK_TASK } from '../../../src/domain/task/task.ts'
import type { TaskChange } from '../../../src/ports/task-store.ts'
import { changeCommands, closeCommands, settleCommands } from '../../../src/queues/beads/commands.ts'

const by = 'fleet@here'

test('a close clears the assignee in the same bd transaction', () => {
  expect(closeCommands('fleet-a', { reason: 'said "done" \\ ok', assignee: '', by })).toEqual([
    { argv: ['batch'], by, input: 'close fleet-a "said \\"done\\" \\\\ ok"\nupdate fleet-a assignee=\n' },
  ])
})

test('a reason of several lines is not passed to bd batch', () => {
  const reason = 'done\nupdate fleet-b status=closed'
  expect(closeCommands('fleet-a', { reason, assignee: '', by })).toEqual([
    { argv: ['close', 'fleet-a', '--force', '--reason-file=-'], by, input: reason },
    { argv: ['batch'], by, input: 'update fleet-a assignee=\n' },
  ])
})

test('a settlement is guarded by the claim if bd supports guards', () => {
  const [command] = settleCommands(
    { to: 'blocked', notes: '--status=open', addLabels: ['needs-review'] },
    { id: 'fleet-a', by, guards: true },
  )
  expect(command?.argv).toEqual([
    'update',
    'fleet-a',
    '--status=blocked',
    '--assignee=',
    '--append-notes=--status=open',
    '--add-label=needs-review',
    '--if-status=in_progress',
    '--if-assignee=fleet@here',
  ])
})

test('only metadata keys that differ are sent', () => {
  const before = { ...BLANK_TASK, id: 'fleet-a', metadata: { kept: 1, gone: 2, fleet: { cwd: '/a' } } }
  const task = { ...before, metadata: { kept: 1, fleet: { cwd: '/b' } } }
  const change: TaskChange = { metadata: () => task.metadata }
  expect(changeCommands(change, { before, task, by, force: false })).toEqual([
    { argv: ['update', 'fleet-a', '--metadata={"fleet":{"cwd":"/b"}}', '--unset-metadata=gone'], by },
  ])
})

test('a change that bd does not support is refused, not dropped', () => {
  const task = { ...BLANK_TASK, id: 'fleet-a' }
  expect(() => changeCommands({ pinned: true }, { before: task, task, by, force: false })).toThrow(/pinned/)
})
