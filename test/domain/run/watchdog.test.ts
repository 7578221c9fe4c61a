import { expect, test } from 'vitest'
import { isAtWork, type Limits, type Look, type Vitals, wantsLook, watch } from '../../../src/domain/run/watchdog.ts'

const LIMITS: Limits = {
  firstEvent: 90,
  idle: 600,
  afterResult: 30,
  grace: 10,
  wall: 3600,
  contextPct: 90,
  outputBytes: 1e9,
}

const AT_WORK: Vitals = {
  startedAt: 0,
  firstEventAt: 1,
  lastOutputAt: 100,
  atWorkAt: undefined,
  openTools: 0,
  resultAt: undefined,
  pendingBackground: 0,
  askedAt: undefined,
  contextPct: 50,
  isScript: false,
  outputBytes: 1000,
}

/** What is asked for at that moment: a code, `ends` for a stop that leaves the verdict to the evidence, or nothing. */
function asked(vitals: Partial<Vitals>, now: number, limits: Partial<Limits> = {}): string {
  const input = watch({ phase: 'running' }, { ...AT_WORK, ...vitals }, { ...LIMITS, ...limits }, now)
  if (input?.kind !== 'stop') return input?.kind ?? 'nothing'
  return input.want?.code ?? 'ends'
}

test.each<[string, Partial<Vitals>, number, string]>([
  ['nothing said in time', { firstEventAt: undefined }, 91, 'stalled'],
  ['nothing said yet', { firstEventAt: undefined }, 90, 'nothing'],
  ['silent with no tool open', {}, 701, 'stalled'],
  ['silent with a tool open', { openTools: 1 }, 3000, 'nothing'],
  ['silent, not for long', {}, 700, 'nothing'],
  ['silent, and seen at work meanwhile', { atWorkAt: 500 }, 1100, 'nothing'],
  ['silent since it was seen at work', { atWorkAt: 500 }, 1101, 'stalled'],
  ['a result, and it stays', { resultAt: 100 }, 131, 'ends'],
  ['a question of one that only prints, and it stays', { askedAt: 100, isScript: true }, 131, 'ends'],
  ['a result a moment ago', { resultAt: 100 }, 130, 'nothing'],
  ['a result, and its background work goes on', { resultAt: 100, pendingBackground: 1 }, 3000, 'nothing'],
  ['a question, and it stays', { askedAt: 100, openTools: 1 }, 131, 'ends'],
  ['a full context', { contextPct: 91 }, 101, 'context-full'],
  ['a context that is full to the bound', { contextPct: 90 }, 101, 'nothing'],
  ['a prompt larger than the window that fleet knows', { contextPct: 300 }, 101, 'nothing'],
  ['a context that is full to the brim', { contextPct: 100 }, 101, 'context-full'],
  ['a full context of one that has told its result', { contextPct: 91, resultAt: 100 }, 101, 'nothing'],
  ['the wall clock', { openTools: 1, lastOutputAt: 3600 }, 3601, 'wall-clock'],
  ['the wall clock, for a script', { isScript: true, firstEventAt: undefined }, 3601, 'wall-clock'],
  ['a silent script', { isScript: true, firstEventAt: undefined }, 3600, 'nothing'],
  ['a flood', { outputBytes: 1e9 + 1 }, 101, 'error'],
])('%s', (_, vitals, now, expected) => {
  expect(asked(vitals, now)).toBe(expected)
})

test('a run that is asked to end gets its grace once', () => {
  const state = { phase: 'stopping', since: 0 } as const
  expect(watch({ ...state, forced: false }, AT_WORK, LIMITS, 10)).toBe(undefined)
  expect(watch({ ...state, forced: false }, AT_WORK, LIMITS, 11)).toEqual({ kind: 'grace-over' })
  expect(watch({ ...state, forced: true }, AT_WORK, LIMITS, 11)).toBe(undefined)
})

const IDLE: Look = { at: 401, cpuMs: 50, tools: 0 }

test.each<[string, Partial<Vitals>, Look | undefined, number, boolean]>([
  ['half-way to a stall', {}, undefined, 401, true],
  ['before that', {}, undefined, 400, false],
  ['again before it is called one', {}, IDLE, 701, true],
  ['not in between', {}, IDLE, 700, false],
  ['half-way anew after it has said something', { lastOutputAt: 500 }, IDLE, 801, true],
  ['not while a tool is open', { openTools: 1 }, undefined, 3000, false],
  ['not after its result', { resultAt: 100 }, undefined, 3000, false],
  ['not before it has begun', { firstEventAt: undefined }, undefined, 80, false],
  ['not at a script', { isScript: true }, undefined, 3000, false],
])('processes are looked at %s', (_, vitals, last, now, expected) => {
  expect(wantsLook({ ...AT_WORK, ...vitals }, last, LIMITS, now)).toBe(expected)
})

test.each<[string, Look, Look | undefined, boolean]>([
  ['a command that it runs', { ...IDLE, tools: 1 }, undefined, true],
  ['a processor that it uses', { at: 701, cpuMs: 66, tools: 0 }, IDLE, true],
  ['its timers alone', { at: 701, cpuMs: 65, tools: 0 }, IDLE, false],
  ['nothing, half-way', IDLE, undefined, false],
  ['nothing known, in a silence that nobody watched', { ...IDLE, at: 701 }, undefined, true],
  ['nothing known since it last said something', { ...IDLE, at: 701 }, { ...IDLE, at: 99 }, true],
])('%s', (_, look, last, expected) => {
  expect(isAtWork(look, last, AT_WORK, LIMITS)).toBe(expected)
})
