import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttled } from '../../src/supervisor/throttle.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('the first caller does not wait', () => {
  const turns = count()
  turns.ask()
  vi.advanceTimersByTime(0)
  expect(turns.done).toBe(1)
})

test('callers within a short time share the next turn, and none is forgotten', () => {
  const turns = count()
  turns.ask()
  vi.advanceTimersByTime(0)
  for (let i = 0; i < 20; i++) turns.ask()
  vi.advanceTimersByTime(4)
  expect(turns.done).toBe(1)
  vi.advanceTimersByTime(10)
  expect(turns.done).toBe(2)
})

test('a call during a turn leads to another turn', () => {
  let done = 0
  const ask = throttled(5, () => {
    if (++done < 3) ask()
  })
  ask()
  vi.advanceTimersByTime(100)
  expect(done).toBe(3)
})

function count(): { ask(): void; readonly done: number } {
  let done = 0
  const ask = throttled(5, () => void done++)
  return {
    ask,
    get done() {
      return done
    },
  }
}
