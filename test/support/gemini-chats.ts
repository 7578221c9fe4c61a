import type { Recording } from './coder-streams.ts'
import { RECORDINGS } from './gemini-recordings.ts'

/** What stdout and chat file together show of a run. Only what the chat adds is here. */
export interface Chat {
  /** Below test/fixtures/coders/gemini/chats. */
  readonly file: string
  /** Start of the run; earlier lines of the file belong to earlier runs. */
  readonly startedAt: string
  /** The number of lines when the run ended: a later run appended to the file. */
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
  // A session resumed within the minute of its start starts again in the same file.
  'chat-resumed-at-once': {
    file: 'at-once',
    startedAt: '2026-11-16T05:55:44.199Z',
    recording: shows('chat-resumed-at-once', context(1210)),
  },
  // No total was reported: the usage of the one request is an estimate.
  'chat-killed': {
    file: 'killed',
    startedAt: '2026-11-16T05:58:02.986Z',
    recording: shows('chat-killed', {
      ...context(1212),
      usage: { input: 1006, output: 23, cacheRead: 206, reasoning: 7 },
    }),
  },
}
