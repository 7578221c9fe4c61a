import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sharedTurns, throttled } from '../../src/supervisor/throttle.ts'

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

test('callers that wait share a turn that began after they asked, and its failure', async () => {
  let done = 0
  const turn = sharedTurns(5, () => {
    if (++done === 3) throw new Error('busy')
  })
  const at = (): Promise<number> => turn().then(() => done)
  const crowd = [at(), at()]
  vi.advanceTimersByTime(0)
  const late = at()
  expect(await Promise.all(crowd)).toEqual([1, 1])
  vi.advanceTimersByTime(5)
  expect(await late).toBe(2)
  const failing = [at(), at()].map((each) => each.catch((error: Error) => error.message))
  vi.advanceTimersByTime(5)
  expect(await Promise.all(failing)).toEqual(['busy', 'busy'])
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
