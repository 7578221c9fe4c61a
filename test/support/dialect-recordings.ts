import { expect } from 'vitest'
import { failed, finished, type Recording, SILENT } from './coder-streams.ts'

/**
 * What recordings of other CLIs show that claim to print claude's format, read from the recordings
 * (jq), never from the parser.
 */

const qwen = (session: string, shown: Partial<Recording['figures']> = {}): Recording['figures'] => ({
  ...SILENT,
  session,
  servedModel: 'mock-model',
  coderVersion: '0.24.4',
  ...shown,
})

/** It retries silently for minutes; the recording was stopped by hand. */
const silent = (session: string): Recording => ({
  exit: 137,
  verdict: failed('lost', expect.stringMatching(/^no result, exit 137 \(SIGKILL\); …/)),
  figures: qwen(session),
  denied: 0,
  results: 0,
})

export const QWEN: Readonly<Record<string, Recording>> = {
  // Its input includes cache reads: 12 and 14113 tokens, 14100 of them from the cache.
  ok: {
    exit: 0,
    verdict: finished,
    figures: qwen('e4385914-4977-4835-9dde-5acb6807cf5a', {
      usage: { input: 25, output: 81, cacheRead: 14_100 },
      contextPeak: 14_113,
      contextNow: 14_113,
      toolCalls: 1,
      estimated: false,
    }),
    denied: 0,
    results: 1,
  },
  // Its own message about the refusal has no usage: no model answered.
  'err-401': {
    exit: 1,
    verdict: failed('login', '[API Error: 401 invalid x-api-key]'),
    figures: qwen('46852952-5ac2-40c4-abea-80b0d521ecf8', {
      usage: { input: 0, output: 0, cacheRead: 0 },
      estimated: false,
    }),
    denied: 0,
    results: 1,
  },
  'err-500': silent('2c22dd83-fd42-4d99-8148-a7f277021620'),
  'err-529': silent('dc410df7-d0d0-4534-98c8-28900451a327'),
  'err-limit': silent('a37f0421-b5a6-4079-9470-c8bb7134d4db'),
}

export const DROID: Readonly<Record<string, Recording>> = {
  // The cause stands before the line that only reports a failure.
  noauth: {
    exit: 1,
    verdict: failed('network', 'Request timed out.'),
    figures: { ...SILENT, session: '31164b6c-0626-49a4-be70-35ec644537b1', servedModel: 'gpt-5.6-sol' },
    denied: 0,
    results: 0,
  },
}
