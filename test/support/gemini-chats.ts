import type { Recording } from './coder-streams.ts'
import { RECORDINGS } from './gemini-recordings.ts'

/** What is known of a run from its stdout and its chat together. Only what the chat adds stands here. */
export interface Chat {
  /** Below test/fixtures/coders/gemini/chats. */
  readonly file: string
  /** Of the run; what stands before it in the file is of earlier runs. */
  readonly startedAt: string
  /** How many of its lines there were when the run had ended: a later one went on in it. */
  readonly lines?: number
  readonly recording: Recording
}

function shows(name: string, figures: Partial<Recording['figures']>): Recording {
  const recording = RECORDINGS[name] as Recording
  return { ...recording, figures: { ...recording.figures, ...figures } }
}

const context = (tokens: number) => ({ contextPeak: tokens, contextNow: tokens })

export const CHATS: Readonly<Record<string, Chat>> = {
  'chat-first': {
    file: 'session',
    startedAt: '2026-11-16T05:56:12.770Z',
    lines: 16,
    recording: shows('chat-first', context(1206)),
  },
  'chat-resumed': {
    file: 'session',
    startedAt: '2026-11-16T05:57:01.023Z',
    recording: shows('chat-resumed', context(1210)),
  },
  // Within the minute of its beginning, a session that goes on begins in its file once more.
  'chat-resumed-at-once': {
    file: 'at-once',
    startedAt: '2026-11-16T05:55:44.199Z',
    recording: shows('chat-resumed-at-once', context(1210)),
  },
  // No total was told: what the one request used is an estimate.
  'chat-killed': {
    file: 'killed',
    startedAt: '2026-11-16T05:58:02.986Z',
    recording: shows('chat-killed', {
      ...context(1212),
      usage: { input: 1006, output: 23, cacheRead: 206, reasoning: 7 },
    }),
  },
}
