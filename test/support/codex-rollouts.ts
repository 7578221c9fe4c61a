import type { CoderEvent } from '../../src/domain/run/event.ts'
import { failed } from './coder-streams.ts'
import { RECORDINGS, type Recording, tokens } from './codex-recordings.ts'
import { linesOf, rolloutEvents } from './codex-streams.ts'

/**
 * What stdout and rollout together show of a run, read from both by hand. Only what the rollout adds
 * is here: the rest is as stdout alone shows it.
 */
export interface Rollout {
  /** Below test/fixtures/coders/codex/rollouts. */
  readonly file: string
  /** Start of the run; earlier lines of the file belong to earlier runs. */
  readonly startedAt: string
  /** The file is read up to this time: a later run appended to it. */
  readonly until?: string
  readonly recording: Recording
  readonly limit?: Extract<CoderEvent, { type: 'limit' }>
}

type Shown = Partial<Recording['figures']>

/** What every recording of a version shows. */
const KNOWN: Shown = { servedModel: 'gpt-5.5', coderVersion: '0.166.0', contextWindow: 258_400 }
const OLDER: Shown = { ...KNOWN, servedModel: 'gpt-5.4', coderVersion: '0.140.0' }
const context = (contextPeak: number, contextNow = contextPeak): Shown => ({ contextPeak, contextNow })

function shows(name: string, figures: Shown, more: Partial<Recording> = {}): Recording {
  const recording = RECORDINGS[name] as Recording
  return { ...recording, figures: { ...recording.figures, ...KNOWN, ...figures }, ...more }
}

const failing = (name: string, startedAt: string): Rollout => ({ file: name, startedAt, recording: shows(name, {}) })

export const ROLLOUTS: Readonly<Record<string, Rollout>> = {
  allowed: {
    file: 'allowed',
    startedAt: '2026-11-15T18:28:18.300Z',
    recording: shows('allowed', context(14113)),
    limit: { type: 'limit', status: 'allowed', name: '7d', resetsAt: 1_795_199_298_000, usedPct: 42 },
  },
  'thread-first': {
    file: 'thread',
    startedAt: '2026-11-16T03:37:38.700Z',
    until: '2026-11-16T03:37:40.640Z',
    recording: shows('thread-first', context(14113)),
    limit: { type: 'limit', status: 'warning', name: '5h', resetsAt: 1_794_803_859_000, usedPct: 92 },
  },
  // The head of the file names the version that started the thread.
  'thread-resumed': {
    file: 'thread',
    startedAt: '2026-11-16T03:37:40.640Z',
    recording: shows('thread-resumed', {
      ...context(14213),
      coderVersion: null,
      usage: tokens(38, 28300, 123, 21),
      estimated: false,
    }),
  },
  'older-first': {
    file: 'older',
    startedAt: '2026-11-16T03:38:37.300Z',
    until: '2026-11-16T03:38:39.025Z',
    recording: shows('older-first', { ...OLDER, ...context(14113) }),
    limit: { type: 'limit', status: 'warning', name: '5h', resetsAt: 1_794_803_917_000, usedPct: 92 },
  },
  'older-resumed': {
    file: 'older',
    startedAt: '2026-11-16T03:38:39.025Z',
    recording: shows('older-resumed', {
      ...OLDER,
      ...context(14213),
      coderVersion: null,
      usage: { input: 38, output: 123, cacheRead: 28300, reasoning: 21 },
      estimated: false,
    }),
  },
  'older-plan': {
    file: 'older-plan',
    startedAt: '2026-11-16T03:38:41.500Z',
    recording: shows('older-plan', { ...OLDER, ...context(14213) }),
  },

  // Calls that stdout does not report.
  'refused-by-hook': {
    file: 'refused-by-hook',
    startedAt: '2026-11-16T03:37:43.600Z',
    recording: shows('refused-by-hook', context(14113), { denied: 1 }),
  },
  'refused-by-sandbox': {
    file: 'refused-by-sandbox',
    startedAt: '2026-11-16T03:37:51.000Z',
    recording: shows('refused-by-sandbox', context(14213), { denied: 1 }),
  },
  // A command, and then: its stdin, an image, a question.
  'silent-calls': {
    file: 'silent-calls',
    startedAt: '2026-11-16T03:37:52.500Z',
    recording: shows('silent-calls', { ...context(14413), toolCalls: 4 }),
  },
  // Reported by stdout, although the model made them from a script.
  'code-mode': {
    file: 'code-mode',
    startedAt: '2026-11-16T03:37:56.500Z',
    recording: shows('code-mode', { ...context(14213), servedModel: 'gpt-6.1-sol' }),
  },
  collab: {
    file: 'collab',
    startedAt: '2026-11-16T03:37:57.700Z',
    recording: shows('collab', { ...context(14213), servedModel: 'gpt-6.1-sol' }),
  },
  search: {
    file: 'search',
    startedAt: '2026-11-16T03:38:27.100Z',
    recording: shows('search', context(14113)),
  },
  compacted: {
    file: 'compacted',
    startedAt: '2026-11-16T03:38:28.500Z',
    recording: shows('compacted', context(14113, 12)),
  },
  // No total was reported: the usage of the one request is an estimate.
  'killed-in-tool': {
    file: 'killed-in-tool',
    startedAt: '2026-11-16T03:38:31.500Z',
    recording: shows('killed-in-tool', { ...context(12), usage: tokens(12, 0, 40, 7) }),
  },

  // Limits: the rollout has the exact second of the reset.
  'err-limit': {
    file: 'err-limit',
    startedAt: '2026-11-15T18:26:20.400Z',
    recording: shows('err-limit', {}, { verdict: liftsAt('err-limit', 1_794_770_780_000) }),
    limit: { type: 'limit', status: 'rejected', name: '5h', resetsAt: 1_794_770_780_000, usedPct: 100 },
  },
  'limit-weekly': {
    file: 'limit-weekly',
    startedAt: '2026-11-16T03:38:08.900Z',
    recording: shows('limit-weekly', {}, { verdict: liftsAt('limit-weekly', 1_795_059_489_000) }),
    limit: { type: 'limit', status: 'rejected', name: '7d', resetsAt: 1_795_059_489_000, usedPct: 100 },
  },
  'older-limit': {
    file: 'older-limit',
    startedAt: '2026-11-16T03:38:40.800Z',
    recording: shows('older-limit', OLDER, { verdict: liftsAt('older-limit', 1_794_800_920_000) }),
    limit: { type: 'limit', status: 'rejected', name: '5h', resetsAt: 1_794_800_920_000, usedPct: 100 },
  },

  // Other errors, which the rollout names.
  capacity: failing('capacity', '2026-11-16T03:38:11.200Z'),
  'context-window': failing('context-window', '2026-11-16T03:38:12.200Z'),
  cut: failing('cut', '2026-11-16T03:38:25.900Z'),
  incomplete: failing('incomplete', '2026-11-16T03:38:25.100Z'),
  'model-missing': failing('model-missing', '2026-11-16T03:38:10.400Z'),
  'no-connection': failing('no-connection', '2026-11-16T03:38:29.700Z'),
  'per-minute': failing('per-minute', '2026-11-16T03:38:13.300Z'),
  quota: failing('quota', '2026-11-16T03:38:09.600Z'),
}

function liftsAt(name: string, resetsAt: number): Recording['verdict'] {
  const { verdict } = RECORDINGS[name] as Recording
  return verdict.kind === 'finished' ? verdict : failed(verdict.outcome.code, verdict.outcome.text, resetsAt)
}

export function rolloutLines({ file, until = '9999' }: Rollout): readonly string[] {
  return linesOf(`rollouts/${file}`).filter((line) => JSON.parse(line).timestamp < until)
}

export function eventsOfRollout(rollout: Rollout): readonly CoderEvent[] {
  const { session } = rollout.recording.figures
  return rolloutEvents(rolloutLines(rollout), {
    session: session as string,
    startedAt: Date.parse(rollout.startedAt),
  })
}
