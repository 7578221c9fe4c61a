import { expect, test } from 'vitest'
import type { Look, Looks } from '../../../src/domain/run/diagnosis/look.ts'
import { isAtWork, type Limits, type Vitals, wantsLook, watch } from '../../../src/domain/run/watchdog.ts'

const LIMITS: Limits = {
  firstEvent: 90,
  idle: 600,
  tool: 700,
  toolMcp: 900,
  toolAgent: 1200,
  afterResult: 30,
  grace: 10,
  wall: 3600,
  contextPct: 90,
  outputBytes: 1e9,
  memory: Number.POSITIVE_INFINITY,
}

const AT_WORK: Vitals = {
  startedAt: 0,
  firstEventAt: 1,
  lastOutputAt: 100,
  atWorkAt: undefined,
  openTools: [],
  runsCommand: false,
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
  ['silent with a shell command open', { openTools: ['shell'] }, 800, 'nothing'],
  ['silent with a shell command open for too long', { openTools: ['shell'] }, 801, 'stalled'],
  ['silent with another tool open for too long', { openTools: ['other'] }, 801, 'stalled'],
  ['silent with a call of an MCP server open', { openTools: ['mcp'] }, 1000, 'nothing'],
  ['silent with a call of an MCP server open for too long', { openTools: ['mcp'] }, 1001, 'stalled'],
  ['silent with a sub-agent and its command open', { openTools: ['agent', 'shell'] }, 1300, 'nothing'],
  ['silent with a sub-agent open for too long', { openTools: ['agent', 'shell'] }, 1301, 'stalled'],
  ['silent while it runs a command that it does not tell', { runsCommand: true }, 800, 'nothing'],
  ['silent for too long while it runs such a command', { runsCommand: true }, 801, 'stalled'],
  ['silent with a tool open, and seen at work meanwhile', { openTools: ['shell'], atWorkAt: 800 }, 1500, 'nothing'],
  ['nothing said in time, and seen at work meanwhile', { firstEventAt: undefined, atWorkAt: 80 }, 170, 'nothing'],
  ['silent, not for long', {}, 700, 'nothing'],
  ['silent, and seen at work meanwhile', { atWorkAt: 500 }, 1100, 'nothing'],
  ['silent since it was seen at work', { atWorkAt: 500 }, 1101, 'stalled'],
  ['a result, and it stays', { resultAt: 100 }, 131, 'ends'],
  ['a question of one that only prints, and it stays', { askedAt: 100, isScript: true }, 131, 'ends'],
  ['a result a moment ago', { resultAt: 100 }, 130, 'nothing'],
  ['a result, and its background work goes on', { resultAt: 100, pendingBackground: 1 }, 3000, 'nothing'],
  ['a question, and it stays', { askedAt: 100, openTools: ['shell'] }, 131, 'ends'],
  ['a full context', { contextPct: 91 }, 101, 'context-full'],
  ['a context that is full to the bound', { contextPct: 90 }, 101, 'nothing'],
  ['a prompt larger than the window that fleet knows', { contextPct: 300 }, 101, 'nothing'],
  ['a context that is full to the brim', { contextPct: 100 }, 101, 'context-full'],
  ['a full context of one that has told its result', { contextPct: 91, resultAt: 100 }, 101, 'nothing'],
  ['the wall clock', { openTools: ['shell'], lastOutputAt: 3600 }, 3601, 'wall-clock'],
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

const AGENT = { pid: 800, name: 'claude', cpuMs: 50, isTool: false }
const IDLE: Look = { at: 401, cpuMs: 50, tools: 0, processes: [AGENT] }
const SINCE = (base: Look, latest: Partial<Look> = {}): Looks => ({
  base,
  middle: base,
  latest: { ...base, ...latest },
})

test.each<[string, Partial<Vitals>, Looks | undefined, number, boolean]>([
  ['half-way to a stall', {}, undefined, 401, true],
  ['before that', {}, undefined, 400, false],
  ['half-way to its first event', { firstEventAt: undefined }, undefined, 46, true],
  ['again after a while', {}, SINCE(IDLE), 901, true],
  ['again before it is called a stall', {}, SINCE(IDLE), 701, true],
  ['not in between', {}, SINCE(IDLE), 700, false],
  ['not twice for that', {}, SINCE(IDLE, { at: 701 }), 702, false],
  ['half-way anew after it has said something', { lastOutputAt: 500 }, SINCE(IDLE), 801, true],
  ['half-way to the limit of its open call', { openTools: ['mcp'] }, undefined, 551, true],
  ['not before that', { openTools: ['mcp'] }, undefined, 550, false],
  ['not after its result', { resultAt: 100 }, undefined, 3000, false],
  ['not at a script', { isScript: true }, undefined, 3000, false],
])('processes are looked at %s', (_, vitals, looks, now, expected) => {
  expect(wantsLook({ ...AT_WORK, ...vitals }, looks, LIMITS, now)).toBe(expected)
})

test.each<[string, Looks, boolean]>([
  ['a processor that it uses', SINCE(IDLE, { at: 701, cpuMs: 66 }), true],
  ['its timers alone', SINCE(IDLE, { at: 701, cpuMs: 65 }), false],
  ['nothing, half-way', SINCE(IDLE), false],
  ['nothing known, in a silence that nobody watched', SINCE({ ...IDLE, at: 701 }), true],
  ['a moment of rest at the end of such a silence', SINCE({ ...IDLE, at: 699 }, { at: 701 }), true],
  ['a moment of work before the limit', SINCE({ ...IDLE, at: 600 }, { at: 620, cpuMs: 66 }), false],
  ['a table without a process of the run', SINCE(IDLE, { at: 701, processes: [] }), true],
  ['a table that showed none before', SINCE({ ...IDLE, cpuMs: 0, processes: [] }, { at: 701, cpuMs: 66 }), true],
])('%s shows whether it works', (_, looks, expected) => {
  expect(isAtWork(looks, AT_WORK, { limit: LIMITS.idle, now: looks.latest.at })).toBe(expected)
})
