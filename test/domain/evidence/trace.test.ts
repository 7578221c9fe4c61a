import { expect, test } from 'vitest'
import { MOST_SPANS, withSpan } from '../../../src/domain/evidence/span.ts'
import {
  isToldLate,
  keptTrace,
  newTrace,
  type Trace,
  traceEvent,
  traceGone,
  traceLook,
  traceProcesses,
  wantsProcesses,
} from '../../../src/domain/evidence/trace.ts'
import { mentions } from '../../../src/domain/evidence/visits.ts'
import type { CoderEvent } from '../../../src/domain/run/event.ts'

const started = (id: string, more: Partial<Extract<CoderEvent, { type: 'tool-started' }>> = {}): CoderEvent => ({
  type: 'tool-started',
  id,
  name: 'Bash',
  kind: 'shell',
  ...more,
})
const ended = (id: string): CoderEvent => ({ type: 'tool-ended', id, failed: false })

/** A look at a moment of both clocks; `jump`: the wall clock was set by so much. */
function look(trace: Trace, at: number, events: readonly CoderEvent[] = [], { jump = 0, isOld = false } = {}): void {
  for (const event of events) traceEvent(trace, event, isOld)
  const seen = { wall: at + jump, monotonic: at, writtenAt: () => at + jump - 10 }
  traceLook(trace, { ...seen, hasOutput: events.length > 0, more: false })
}

test('a tool was open from the look before its start to the last output with its end', () => {
  const trace = newTrace(0)
  look(trace, 500)
  look(trace, 1000, [started('1')])
  look(trace, 1500)
  look(trace, 2000, [ended('1')])
  look(trace, 2500, [started('2'), ended('2')])
  expect(keptTrace(trace)).toMatchObject({ open: [500, 1990, 2000, 2490], at: 2500 })
})

test('a read, and a word to fleet, are no work; a finished edit leaves nothing behind', () => {
  const trace = newTrace(0)
  look(trace, 500, [started('1', { kind: 'read' }), ended('1'), started('2', { toFleet: true }), ended('2')])
  expect(keptTrace(trace)).toEqual({ open: [], at: 500 })
  look(trace, 1000, [started('3', { kind: 'edit', paths: ['a.txt'] }), ended('3')])
  expect([keptTrace(trace), [...trace.named]]).toEqual([{ open: [500, 990], at: 1000 }, ['a.txt']])
})

test('what a shell call leaves behind counts until a look at the processes shows nothing of it', () => {
  const trace = newTrace(0)
  look(trace, 500)
  look(trace, 1000, [started('1')])
  expect(wantsProcesses(trace, trace.lookedAt.wall)).toBe(false)
  look(trace, 1500, [ended('1')])
  expect(wantsProcesses(trace, trace.lookedAt.wall)).toBe(true)
  traceProcesses(trace, { wall: 1500, monotonic: 1500 }, 100)
  look(trace, 2000)
  traceProcesses(trace, { wall: 2000, monotonic: 2000 }, 600)
  look(trace, 2500)
  traceProcesses(trace, { wall: 2500, monotonic: 2500 }, undefined)
  expect(wantsProcesses(trace, trace.lookedAt.wall)).toBe(false)
  expect(keptTrace(trace)).toEqual({ open: [500, 1490], left: [500, 2500], at: 2500 })
})

test('what a shell call left behind may have worked until the run was gone, if it lived at the last look', () => {
  const trace = newTrace(0)
  look(trace, 500)
  look(trace, 1000, [started('1'), ended('1')])
  traceProcesses(trace, { wall: 1000, monotonic: 1000 }, 100)
  traceGone(trace, { wall: 1800, monotonic: 1800 })
  traceGone(trace, { wall: 9000, monotonic: 9000 })
  expect(keptTrace(trace).left).toEqual([500, 1800])
})

test('a server that runs for long is looked at less and less often', () => {
  const trace = newTrace(0)
  look(trace, 0)
  look(trace, 500, [started('1'), ended('1')])
  const looks: number[] = []
  for (let at = 500; at <= 100_000; at += 500) {
    look(trace, at)
    if (!wantsProcesses(trace, at)) continue
    looks.push(at)
    traceProcesses(trace, { wall: at, monotonic: at }, 100)
  }
  const pauses = looks.slice(1).map((at, i) => at - (looks[i] as number))
  expect([pauses[0], pauses.at(-1), Math.max(...pauses)]).toEqual([500, 5000, 5000])
})

test.for(['other', 'mcp', 'edit'] as const)('a call of the kind %s leaves no process behind', (kind) => {
  const trace = newTrace(0)
  look(trace, 500, [started('1', { kind }), ended('1')])
  expect([wantsProcesses(trace, trace.lookedAt.wall), keptTrace(trace).left]).toEqual([false, undefined])
})

test('a server that a coder left behind before its first tool is no work of its tools', () => {
  const trace = newTrace(0)
  look(trace, 59_500)
  look(trace, 60_000, [started('1'), ended('1')])
  traceProcesses(trace, { wall: 60_000, monotonic: 60_000 }, 59_000)
  expect([wantsProcesses(trace, trace.lookedAt.wall), keptTrace(trace).left]).toEqual([false, [59_500, 60_000]])
})

test('while fleet is held up, nothing counts after the output that ended a shell call', () => {
  const trace = newTrace(0)
  look(trace, 500)
  for (const event of [started('1'), ended('1')]) traceEvent(trace, event, false)
  traceLook(trace, { wall: 3_600_000, monotonic: 3_600_000, writtenAt: () => 800, hasOutput: true, more: false })
  expect(keptTrace(trace)).toEqual({ open: [500, 800], left: [500, 1800], at: 3_600_000 })
})

test('a process that lives when the next supervisor comes has worked on all the time', () => {
  const next = newTrace(0, { open: [500, 1000], left: [500, 1500], at: 1500 })
  for (const event of [started('1'), ended('1')]) traceEvent(next, event, true)
  look(next, 60_000)
  expect(wantsProcesses(next, 60_000)).toBe(true)
  traceProcesses(next, { wall: 60_000, monotonic: 60_000 }, 59_000)
  expect(keptTrace(next)).toEqual({ open: [500, 1000], left: [500, 60_000], at: 60_000 })
})

test('a failed edit names nothing', () => {
  const trace = newTrace(0)
  const edit = (id: string, path: string) => started(id, { kind: 'edit', paths: [path] })
  look(trace, 500, [edit('1', 'a'), ended('1'), edit('2', 'b'), { type: 'tool-ended', id: '2', failed: true }])
  look(trace, 1000, [edit('3', 'c')])
  expect([...trace.named]).toEqual(['a'])
})

test('a call that is told only when it has ended began after the output before it', () => {
  const trace = newTrace(0)
  look(trace, 500, [{ type: 'text', text: 'thinks' }])
  look(trace, 1000)
  look(trace, 1500)
  traceEvent(trace, started('1'), false)
  traceEvent(trace, ended('1'), false)
  trace.toldLate = isToldLate([started('1'), ended('1')])
  look(trace, 2000, [])
  expect(keptTrace(trace).open).toEqual([0, 1990])
})

test('a coder that tells calls late may have one open from its last output until its turn is over', () => {
  const trace = newTrace(0)
  look(trace, 500, [{ type: 'text', text: 'thinks' }])
  look(trace, 1000)
  expect(keptTrace(trace, { toldLate: true })).toEqual({ open: [], unsure: [0, 1000], at: 1000 })
  expect(keptTrace(trace)).toEqual({ open: [], at: 1000 })
  look(trace, 1500, [{ type: 'result', ok: true }])
  look(trace, 2000)
  expect(keptTrace(trace, { toldLate: true })).toEqual({ open: [], at: 2000 })
  look(trace, 2500, [{ type: 'session', id: 's', step: true }])
  expect(keptTrace(trace, { toldLate: true })).toEqual({ open: [], unsure: [2000, 2500], at: 2500 })
})

test('work in the background counts as an open tool', () => {
  const trace = newTrace(0)
  look(trace, 500, [{ type: 'background', pending: 1 }])
  look(trace, 1000)
  look(trace, 1500, [{ type: 'background', pending: 0 }])
  look(trace, 2000)
  expect(keptTrace(trace).open).toEqual([0, 1490])
})

test('when the clock is set, the time of a tool is known in both countings', () => {
  const trace = newTrace(0)
  look(trace, 500)
  look(trace, 1000, [started('1')])
  look(trace, 1500, [], { jump: -100_000 })
  look(trace, 2000, [ended('1')], { jump: -100_000 })
  expect(keptTrace(trace).open).toEqual([-99_000, -98_010, 500, 1500])
})

test('the next supervisor goes on with the times that are kept, and adds those of the output that nobody had read', () => {
  const first = newTrace(0)
  look(first, 500, [started('1'), ended('1')])
  look(first, 60_000, [started('2')])
  const kept = keptTrace(first)
  const next = newTrace(0, kept, ['a'])
  for (const event of [started('1'), ended('1'), started('2')]) traceEvent(next, event, true)
  look(next, 120_000, [ended('2')])
  expect(keptTrace(next)).toEqual({ ...kept, open: [0, 490, 500, 119_990], at: 120_000 })
})

test('the times of very many tools are bounded', () => {
  let spans: ReturnType<typeof withSpan> = []
  for (let i = 0; i < 1000; i++) spans = withSpan(spans, { from: i * 100, to: i * 100 + 10 })
  expect(spans.length).toBe(MOST_SPANS)
  expect([spans[0]?.from, spans.at(-1)?.to]).toEqual([0, 99_910])
})

test('a visit lasts while a command is open that names the checkout which the run is to leave alone', () => {
  const trace = newTrace(0)
  trace.visits.names = ['/home/you/shop', '~/shop']
  look(trace, 500, [started('1', { detail: 'npm test' })])
  look(trace, 1000, [ended('1'), started('2', { detail: 'set -e', command: 'set -e\ncd /home/you/shop && git stash' })])
  look(trace, 1500)
  look(trace, 2000, [ended('2')])
  look(trace, 2500, [started('3', { kind: 'read', detail: '/home/you/shop/a.txt' }), ended('3')])
  const kept = keptTrace(trace)
  expect(kept.visits).toEqual([500, 1990])
  const next = newTrace(0, kept)
  next.visits.names = trace.visits.names
  look(next, 3000, [started('2', { detail: 'cat ~/shop/.env' }), ended('2')], { isOld: true })
  expect(keptTrace(next).visits).toEqual([500, 1990])
})

test.for([
  ['cd /home/you/shop && ls', true],
  ['git --git-dir="/home/you/shop/.git" stash', true],
  ['cd "$HOME/shop"', true],
  ['cd /home/you/shop-2; ls /mnt/home/you/shopping', false],
  ['cp a /backup/home/you/shop', false],
  ['', false],
] as const)('%s names the checkout: %s', ([command, expected]) => {
  expect(mentions(command, ['/home/you/shop', '$HOME/shop'])).toBe(expected)
})
