import { setTimeout as delay } from 'node:timers/promises'

const OFTEN_MS = 20
const SELDOM_MS = 200

/**
 * Waits for a condition that no event tells. After a dear look, which reads all of /proc or opens a database, it waits
 * longer until the next one: the processor belongs to the processes that the test waits for.
 */
export async function poll(
  condition: () => boolean | Promise<boolean>,
  what: () => string,
  withinMs = 120_000,
): Promise<void> {
  const end = performance.now() + withinMs
  for (;;) {
    const began = performance.now()
    if (await condition()) return
    const now = performance.now()
    if (now > end) throw new Error(`not within ${withinMs / 1000} s: ${what()}`)
    await delay(Math.min(Math.max(OFTEN_MS, 10 * (now - began)), SELDOM_MS))
  }
}
