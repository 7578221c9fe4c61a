import { expect, test } from 'vitest'
import { byProductsWith, isByProduct, isNotes } from '../../../src/domain/evidence/weak-change.ts'
import { madeAgainWith } from '../../../src/domain/run/made-again.ts'

test.each([
  ...['PLAN.md', 'docs/plan-2.md', 'PLAN_AND_STATUS.md', 'Notes', 'TODO.txt', 'Q&A.md', 'hand-off.md', 'scratchpad.md'],
  ...['docs-NOTES.md', 'IMPLEMENTATION_PLAN.md', 'implementationPlan.md', 'PLAN_v2_final.md', 'todo-list.md'],
  ...['my notes.txt', 'login_status.md', 'notes-2026.md'],
])('%s is notes by its name', (path) => {
  expect(isNotes(path)).toBe(true)
})

test.each([
  ...['plan.ts', 'notes.py', 'src/todo.js', 'README.md', 'RELEASE_NOTES.md', 'release-notes-2.md', 'status-codes.md'],
  ...['memory-management.md', 'airplane.md', 'notes/login.md', 'plan.tar.md', 'result.txt', 'planning-poker.md'],
])('%s may be work by its name', (path) => {
  expect(isNotes(path)).toBe(false)
})

test.each([
  ...[
    'src/__pycache__/a.pyc',
    '.coverage',
    '.coverage.host.1',
    'coverage/lcov.info',
    'coverage/lcov-report/sorter.js',
    'lcov.info',
    'coverage.xml',
  ],
  ...['junit.xml', 'out/junit-report.xml', 'target/surefire-reports/a.txt', 'TEST-a.xml', 'cover.out', 'a.tsbuildinfo'],
  ...['htmlcov/index.html', 'test-results/a.png', 'a.txt~', '.a.swp', 'default.profraw', 'npm-debug.log'],
])('%s is left over by a tool', (path) => {
  expect(isByProduct(path)).toBe(true)
})

test.each([
  ...[
    'src/coverage.ts',
    'src/coverage/index.ts',
    'status-report.md',
    'test/junit.ts',
    'docs/coverage.md',
    'src/core.js',
    'build/out.js',
    'app.log',
    'a.xml',
  ],
])('%s may be work', (path) => {
  expect(isByProduct(path)).toBe(false)
})

test('a project names more of what its tools leave behind, and takes files out', () => {
  const isLeft = byProductsWith(['/traces/', '*.prof', '!junit.xml'])
  const all = ['traces/a.json', 'src/traces/a.json', 'deep/cpu.prof', 'junit.xml', 'a.pyc', 'src/a.ts']
  expect(all.filter(isLeft)).toEqual(['traces/a.json', 'deep/cpu.prof', 'a.pyc'])
  const isGone = madeAgainWith(['/traces/', '!/dist/'])
  expect(['traces/', 'traces/a.json', 'dist/', 'dist/a.js', 'web/dist/'].filter(isGone)).toEqual([
    'traces/',
    'traces/a.json',
    'web/dist/',
  ])
})
