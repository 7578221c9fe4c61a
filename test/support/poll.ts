import { setTimeout as delay } from 'node:timers/promises'

/**
 * Looks until the condition holds, because there is no event to wait for; false: not in time. It looks less often the longer
 * it waits: a look opens a store or reads the whole process table, and many of them keep what it waits for from the processor.
 */
export async function poll(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const began = performance.now()
  for (;;) {
    if (await condition()) return true
    const waited = performance.now() - began
    if (waited > withinMs) return false
    await delay(Math.min(60, Math.max(20, waited / 20)))
  }
}
