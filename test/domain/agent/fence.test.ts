import { expect, test } from 'vitest'
import { type Above, enclosingRun, type FenceFacts } from '../../../src/domain/agent/fence.ts'

const A = { run: 'run-a', task: 't-a' }
const B = { run: 'run-b', task: 't-b' }
const someRun = { kind: 'in-some-run', why: expect.any(String) }

const above = (pid: number, more: Partial<Above> = {}): Above => ({
  pid,
  startTime: `${pid}0`,
  session: 1,
  group: 1,
  marker: undefined,
  isLauncher: false,
  ...more,
})
const known = (pid: number) => ({ pid, startTime: `${pid}0` })
const live = { ...A, doing: 'runs' as const, processes: [known(50), known(60)] }
const younger = { isYounger: true, hasSameRoot: false, hasOtherUsers: false }

const NOTHING: FenceFacts = {
  own: undefined,
  above: [above(9), above(1)],
  runs: [],
  sharesQueueOf: undefined,
  hasStoreOfOther: false,
  supervisors: [],
  namespace: undefined,
}

const CASES: readonly [name: string, facts: Partial<FenceFacts>, found: unknown][] = [
  ['a person without agents', {}, undefined],
  ['a person beside agents', { runs: [live], supervisors: [known(40)] }, undefined],
  ["the command's own variables name a run", { own: A }, { kind: 'in-run', run: A }],
  ['a parent names a run', { above: [above(9), above(8, { marker: A })] }, { kind: 'in-run', run: A }],
  [
    'the outermost marker counts, not one that the agent put below it',
    { own: B, above: [above(9, { marker: B }), above(8, { marker: A }), above(7)] },
    { kind: 'in-run', run: A },
  ],
  ['a parent is a process of a run', { runs: [live], above: [above(9), above(60)] }, { kind: 'in-run', run: A }],
  [
    'a process of a run outweighs any marker',
    { runs: [live], own: B, above: [above(9, { marker: B }), above(50, { marker: B })] },
    { kind: 'in-run', run: A },
  ],
  ['a parent has the pid of one, reused', { runs: [live], above: [above(60, { startTime: '999' })] }, undefined],
  ['its session is that of a run', { runs: [live], above: [above(9, { session: 50 })] }, { kind: 'in-run', run: A }],
  ['its group is that of a run', { runs: [live], above: [above(9, { group: 60 })] }, { kind: 'in-run', run: A }],
  ['it is below the supervisor', { supervisors: [known(40)], above: [above(9), above(40)] }, someRun],
  [
    'it is below the launcher, of which no record tells',
    { above: [above(9), above(40, { isLauncher: true })] },
    someRun,
  ],
  ['its home has the queue of a run above it', { sharesQueueOf: 'run run-b of t-b' }, someRun],
  ['its store is a second name of another', { hasStoreOfOther: true, own: A }, someRun],
  ['the process table is hidden, without agents', { above: undefined }, undefined],
  ['the process table is hidden, beside agents', { above: undefined, runs: [live] }, someRun],
  ['an older namespace', { runs: [live], namespace: { ...younger, isYounger: false, hasSameRoot: true } }, undefined],
  ['a younger container', { runs: [live], namespace: younger }, undefined],
  ['a younger namespace on the same root', { runs: [live], namespace: { ...younger, hasSameRoot: true } }, someRun],
  ['a younger namespace of its own users', { runs: [live], namespace: { ...younger, hasOtherUsers: true } }, someRun],
  ['any namespace without agents', { namespace: { ...younger, hasSameRoot: true } }, undefined],
]

for (const [name, facts, found] of CASES) {
  test(`${name}: ${found === undefined ? 'a person' : 'an agent'}`, () => {
    expect(enclosingRun({ ...NOTHING, ...facts })).toEqual(found)
  })
}

test('a refusal without a known run names the runs that are open', () => {
  expect(enclosingRun({ ...NOTHING, above: undefined, runs: [live, { ...B, doing: 'lands', processes: [] }] })).toEqual(
    {
      kind: 'in-some-run',
      why: 'the process table does not show its parents while run run-a of t-a and 1 more is open',
    },
  )
})

test('a refusal while work lands names the task, whose run is over', () => {
  expect(enclosingRun({ ...NOTHING, above: undefined, runs: [{ ...B, doing: 'lands', processes: [] }] })).toEqual({
    kind: 'in-some-run',
    why: 'the process table does not show its parents while the work of t-b lands',
  })
})
