import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { context } from '../../../src/cli/render/figures.ts'
import { painted } from '../../../src/cli/render/painted.ts'
import { tasksLines, tasksText } from '../../../src/cli/render/tasks.ts'
import { widthOf } from '../../../src/cli/render/width.ts'
import { attentionOf } from '../../../src/domain/fleet/attention.ts'
import { freshState, NO_FIGURES } from '../../../src/domain/run/run.ts'
import { snapshotJson } from '../../../src/views/json/snapshot.ts'
import type { Snapshot } from '../../../src/views/snapshot.ts'
import { runOf } from '../../support/runs.ts'

// People read local time.
beforeEach(() => void vi.stubEnv('TZ', 'UTC'))
afterEach(() => void vi.unstubAllEnvs())

const NOW = Date.parse('2026-11-15T14:02:11Z')

const NOTHING = { usage: {}, costUsd: null, durationMs: 1000, tokensMissing: 0, costMissing: 0 }

const SNAPSHOT: Snapshot = {
  now: NOW,
  supervisor: { pid: 1 },
  attention: { rows: [], more: false },
  running: {
    rows: [
      {
        run: runOf({
          figures: {
            ...NO_FIGURES,
            usage: { input: 1000, output: 200, cacheRead: 11_000, cacheWrite: 100 },
            contextPeak: 90_000,
            contextWindow: 200_000,
            events: 42,
            lastEventAt: NOW - 8000,
          },
        }),
        given: { coder: 'claude' },
      },
      {
        run: runOf({ task: 'fleet-c', coder: 'shell', model: null, title: '世界', startedAt: NOW - 500 }),
        given: { cwd: '/project' },
      },
    ],
    more: false,
  },
}

function shown(snapshot: Snapshot, width: number): string {
  return painted(tasksLines(snapshot, width), { colour: false }).painted
}

const SILENT = { ...NO_FIGURES, session: 's-1', events: 4, lastEventAt: NOW - 5 * 60_000 }

test.each([
  ['silent for five minutes with no tool open', SILENT, true],
  ['silent for a little less', { ...SILENT, lastEventAt: NOW - 299_000 }, false],
  ['with a tool open', { ...SILENT, openTool: 'Bash: npm test' }, false],
  ['of a script, which has no session', { ...SILENT, session: null }, false],
])(
  'an agent is marked as suspicious only if it has been silent for five minutes with no tool open: %s',
  (_, figures, suspicious) => {
    const run = runOf({ startedAt: NOW - 3_600_000, figures })
    const snapshot = { ...SNAPSHOT, running: { rows: [{ run, given: {} }], more: false } }
    const idle = tasksLines(snapshot, 120)[2]?.find(({ text }) => /^ *(5m|4m59s)/.test(text))
    expect([idle?.style, snapshotJson(snapshot)['running']]).toMatchObject([
      suspicious ? 'yellow' : undefined,
      [{ suspicious }],
    ])
  },
)

describe('running tasks', () => {
  test('on a wide terminal', () => {
    expect(shown(SNAPSHOT, 120)).toBe(`Running
ID         Started   Elapsed  Idle  Context  Tokens  Events  Coder   Model   Title         cwd
fleet-a1b  14:00:00    2m11s    8s  90k 45%   12.3k      42  claude  sonnet  Fix the cart  /project
fleet-c    14:02:10       0s    0s        -       -       0  shell   -       世界          /project
`)
  })

  test('on a narrow terminal', () => {
    expect(shown(SNAPSHOT, 40)).toBe(`Running
ID         Elapsed  Idle  Title
fleet-a1b    2m11s    8s  Fix the cart
fleet-c         0s    0s  世界
`)
  })

  test('at 80 columns the title stays, the coder is whole, and Started, Tokens and Model go first', () => {
    const rows = [
      { coder: 'opencode', model: 'anthropic/claude-sonnet-4', title: 'Fix the cart, which loses its things at night' },
      { coder: 'claude', model: 'opus', title: 'Write the report of the sales in all three regions' },
    ].map((each) => {
      const figures = { ...NO_FIGURES, usage: { input: 12_300 }, contextPeak: 90_000, contextWindow: 200_000 }
      return { run: runOf({ ...each, figures }), given: {} }
    })
    expect(shown({ ...SNAPSHOT, running: { rows, more: false } }, 80)).toBe(`Running
ID         Elapsed   Idle  Context  Coder     Title
fleet-a1b    2m11s  2m11s  90k 45%  opencode  Fix the cart, which loses its thi…
fleet-a1b    2m11s  2m11s  90k 45%  claude    Write the report of the sales in …
`)
  })

  test('for a program', () => {
    expect(tasksText(SNAPSHOT)).toBe(`Running
ID\tStarted\tElapsed\tIdle\tContext\tTokens\tEvents\tCoder\tModel\tTitle\tcwd
fleet-a1b\t14:00:00\t2m11s\t8s\t90k 45%\t12.3k\t42\tclaude\tsonnet\tFix the cart\t/project
fleet-c\t14:02:10\t0s\t0s\t-\t-\t0\tshell\t-\t世界\t/project`)
  })

  test('none', () => {
    expect(shown({ ...SNAPSHOT, running: { rows: [], more: false } }, 80)).toBe('Nothing is running.\n')
  })

  test('given values are bold, defaults dim, and the context is green, yellow or red', () => {
    const lines = tasksLines(SNAPSHOT, 120)[2]?.filter(({ style }) => style !== undefined)
    expect(lines?.map(({ text, style }) => [text.trim(), style])).toEqual([
      ['90k 45%', 'green'],
      ['claude', 'bold'],
      ['sonnet', 'dim'],
      ['/project', 'dim'],
    ])
    const styleAt = (contextPeak: number) => context({ ...NO_FIGURES, contextPeak, contextWindow: 100 }).style
    expect([49, 50, 79, 80, 200].map(styleAt)).toEqual(['green', 'yellow', 'yellow', 'red', 'red'])
  })

  test('no line is ever wider than the terminal', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 1, max: 150 }), (title, model, cwd, width) => {
        const run = runOf({ title, model, cwd })
        const attention = attentionOf({
          now: NOW,
          supervisor: false,
          running: 1,
          paused: undefined,
          changed: [],
          configuration: undefined,
          lacks: undefined,
          unreviewed: [],
          questions: [],
          onLane: () => 0,
          refusedModels: [{ lane: model, model: cwd, reason: title, since: 0, trialFrom: null }],
          lanes: [{ name: model, state: 'down', until: null, code: 'login', reason: title, since: 0 }],
          blocked: [
            {
              task: 'fleet-x',
              title,
              labels: [],
              state: { ...freshState('fleet-x'), waiting: cwd },
              lastRun: undefined,
            },
          ],
        })
        const queued = { id: 'fleet-q', title, priority: 1, given: { cwd }, assignment: undefined }
        const waiting = { id: 'fleet-w', title, hold: { kind: 'later', reason: model, until: null } } as const
        const last = { ...run, endedAt: NOW, outcome: { code: 'no-claim', text: title } } as const
        const snapshot: Snapshot = {
          now: NOW,
          supervisor: undefined,
          attention: { rows: attention, more: true },
          running: { rows: [{ run, given: {} }], more: true },
          rest: {
            queued: { rows: [queued], more: true },
            waiting: { rows: [waiting], more: false },
            ended: { rows: [{ last, spent: NOTHING, status: cwd }], more: true },
          },
        }
        for (const line of shown(snapshot, width).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})

test('ids are never cut, because people type them', () => {
  const id = 'fleet-a1b2c3.12'
  const run = runOf({ task: id, endedAt: NOW, outcome: { code: 'no-claim', text: 'no' }, title: 'x'.repeat(80) })
  const hold = { kind: 'blocked', by: ['fleet-q'], until: null } as const
  const snapshot: Snapshot = {
    ...SNAPSHOT,
    attention: {
      rows: [{ kind: 'blocked', task: id, title: run.title, reason: 'x'.repeat(80), way: 'retry' }],
      more: false,
    },
    running: { rows: [{ run, given: {} }], more: false },
    elsewhere: { rows: [{ id, title: run.title, machine: 'x'.repeat(80) }], more: false },
    rest: {
      queued: { rows: [{ id, title: run.title, priority: 1, given: {}, assignment: undefined }], more: false },
      waiting: { rows: [{ id, title: run.title, hold }], more: false },
      ended: { rows: [{ last: run, spent: NOTHING, status: 'blocked' }], more: false },
    },
  }
  for (let width = 30; width < 160; width++) {
    const rows = shown(snapshot, width).split('\n')
    expect([width, rows.filter((row) => new RegExp(`(^| )${id}( |$)`).test(row)).length]).toEqual([width, 6])
  }
})

test('tasks that are not running show their coder, what they wait for, or how they ended', () => {
  const coder = { value: 'claude', given: false }
  const rest: NonNullable<Snapshot['rest']> = {
    queued: {
      rows: [
        {
          id: 'fleet-q',
          title: 'Next',
          priority: 1,
          given: { coder: 'shell', cwd: '/project' },
          assignment: { coder: { value: 'shell', given: true }, model: { value: undefined, given: false } },
        },
        {
          id: 'fleet-r',
          title: 'Then',
          priority: 2,
          given: {},
          assignment: { coder, model: { value: 'sonnet', given: false } },
        },
        { id: 'fleet-s', title: 'Who knows', priority: 2, given: {}, assignment: undefined },
      ],
      more: false,
    },
    waiting: {
      rows: [
        { id: 'fleet-w', title: 'Again', hold: { kind: 'later', reason: 'retry 2 of 3: exit 1', until: NOW + 4000 } },
        {
          id: 'fleet-c',
          title: 'Part',
          hold: { kind: 'deferred', by: 'fleet-e', until: Date.parse('2026-11-16T08:00:00Z') },
        },
        { id: 'fleet-d', title: 'Some day', hold: { kind: 'deferred', by: undefined, until: null } },
        { id: 'fleet-b', title: 'After', hold: { kind: 'blocked', by: ['fleet-q', 'fleet-r'], until: null } },
      ],
      more: false,
    },
    ended: {
      rows: [
        {
          last: runOf({ attempt: 3, endedAt: NOW - 1000, outcome: { code: 'error', text: 'exit 1' } }),
          spent: {
            usage: { input: 12_000, output: 300 },
            costUsd: 0.125,
            durationMs: 390_000,
            tokensMissing: 0,
            costMissing: 1,
          },
          status: 'blocked',
        },
        {
          last: runOf({ task: 'fleet-x', endedAt: NOW - 2000, outcome: { code: 'done', text: 'ok' } }),
          spent: NOTHING,
          status: undefined,
        },
      ],
      more: false,
    },
  }
  const lines = tasksLines({ ...SNAPSHOT, running: { rows: [], more: false }, rest }, 120)
  expect(painted(lines, { colour: false }).painted).toBe(`Ended
ID         Ended      Took  Attempts  Outcome  Status   Tokens    Cost  Title
fleet-a1b  14:02:10  6m30s         3  error    blocked   12.3k  $0.13+  Fix the cart
fleet-x    14:02:09     1s         1  done     deleted       -       -  Fix the cart

Waiting
ID       Until        Why                                 Title
fleet-w  14:02:15     retry 2 of 3: exit 1                Again
fleet-c  11-16 08:00  part of fleet-e, which is deferred  Part
fleet-d  -            deferred                            Some day
fleet-b  -            blocked by fleet-q, fleet-r         After

Queued
ID       Priority  Coder   Model   Title      cwd
fleet-q  P1        shell   -       Next       /project
fleet-r  P2        claude  sonnet  Then       -
fleet-s  P2        -       -       Who knows  -

Nothing is running.
`)
  const styles = lines
    .slice(14, 16)
    .map((line) => line.flatMap(({ text, style }) => (style ? [[text.trim(), style]] : [])))
  expect(styles).toEqual([
    [
      ['shell', 'bold'],
      ['-', 'dim'],
      ['/project', 'bold'],
    ],
    [
      ['claude', 'dim'],
      ['sonnet', 'dim'],
      ['-', 'dim'],
    ],
  ])
})
