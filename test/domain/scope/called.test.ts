import { expect, test } from 'vitest'
import type { CoderEvent } from '../../../src/domain/run/event.ts'
import { foldCall, type Judging, newCalled } from '../../../src/domain/scope/called.ts'
import type { Scope } from '../../../src/domain/scope/scope.ts'

const JUDGING: Judging = {
  bounds: {
    ...{ root: '/home/ann/shop', userHome: '/home/ann', home: '/home/ann/.fleet', own: [], git: [], settings: [] },
    scope: { readOnly: false, writes: ['src/**'] },
    notes: ['/home/ann/.gemini/tmp'],
  },
  // /shop leads to the project.
  files: { resolve: (path) => path.replace(/^\/shop/, '/home/ann/shop'), isRepository: () => false },
  cwd: '/home/ann/shop',
  startsInCwd: true,
  variables: { HOME: '/home/ann' },
}

function counted(
  started: Partial<Extract<CoderEvent, { type: 'tool-started' }>>,
  scope?: Scope,
  failed = false,
  startsInCwd = true,
) {
  const called = newCalled()
  const judging = () => ({ ...JUDGING, startsInCwd, bounds: { ...JUDGING.bounds, ...(scope && { scope }) } })
  foldCall(called, { type: 'tool-started', id: '1', name: 'tool', kind: 'edit', ...started }, judging)
  foldCall(called, { type: 'tool-ended', id: '1', failed }, judging)
  return called.outside.map(({ kind, what }) => `${kind}: ${what}`)
}

test('a file outside of the project that a tool names counts, and one that its end will find does not', () => {
  const paths = [
    'lib/a.ts',
    '/home/ann/.bashrc',
    '/shop/lib/b.ts',
    '/home/ann/.gemini/tmp/plan.md',
    '/tmp/x',
    '../other/x',
  ]
  const found = ['scope: /home/ann/.bashrc', 'scope: /home/ann/other/x']
  expect(counted({ paths })).toEqual(found)
  expect(counted({ paths }, { readOnly: true })).toEqual(found)
  expect(counted({ paths }, { readOnly: false })).toEqual([])
  expect(counted({ paths }, undefined, true)).toEqual([])
})

test('of a shell line a deletion elsewhere counts, beside what is no sign, and a write does not', () => {
  const command = 'echo x > ../other/log; echo y > lib/a; rm -rf ../other; git push'
  expect(counted({ kind: 'shell', command })).toEqual(['deletes: /home/ann/other', 'pushes: git push'])
})

test('a shell line counts from the directory that its call names, and without one that is known by its absolute paths', () => {
  const relative = { kind: 'shell', command: 'rm -rf .' } as const
  const absolute = { kind: 'shell', command: 'cd /home/ann && rm -rf shop' } as const
  expect(counted({ ...relative, cwd: '/tmp/work' })).toEqual([])
  expect(counted({ ...relative, cwd: '.' })).toEqual(['deletes: /home/ann/shop'])
  expect(counted(relative)).toEqual(['deletes: /home/ann/shop'])
  expect(counted(relative, undefined, false, false)).toEqual([])
  expect(counted(absolute, undefined, false, false)).toEqual(['deletes: /home/ann/shop'])
})
