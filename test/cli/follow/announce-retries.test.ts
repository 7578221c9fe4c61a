import { afterEach, expect, test, vi } from 'vitest'
import { announceRetries, type RetryAnnouncements } from '../../../src/cli/follow/announce-retries.ts'
import { freshState } from '../../../src/domain/run/run.ts'

afterEach(() => void vi.useRealTimers())

test('each retry is announced once, from one store that is closed at the end', async () => {
  vi.useFakeTimers()
  const [printed, did]: [string[], string[]] = [[], []]
  const lastOutcome = { code: 'error', text: 'exit 1' } as const
  const state = { ...freshState('fleet-a'), lastOutcome, waitingKind: 'retry', waitingUntil: Date.now() + 60_000 }
  let refused = true
  const open = async () => {
    did.push('open')
    if (refused) throw new Error('busy')
    return {
      queue: { get: async () => ({ status: 'open' }) },
      ledger: { waiting: () => [state] },
      [Symbol.asyncDispose]: async () => void did.push('close'),
    }
  }
  const telling = announceRetries({
    open: open as unknown as RetryAnnouncements['open'],
    print: (line) => printed.push(line),
    idle: () => true,
  })
  await vi.advanceTimersByTimeAsync(300)
  refused = false
  await vi.advanceTimersByTimeAsync(10_000)
  await telling[Symbol.asyncDispose]()
  expect([printed.length, did]).toEqual([1, ['open', 'open', 'close']])
})
