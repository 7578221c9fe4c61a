import { readSync } from 'node:fs'
import type { Queue } from '../src/ports/queue.ts'
import { now } from './clock.mjs'

/** Waits for a line on stdin, claims and closes until no task is left, and prints the tasks it got and when it closed the last. */
export async function drainOnWord(queue: Queue, by: string): Promise<void> {
  process.stdout.write('ready\n')
  readSync(0, Buffer.alloc(16))
  const began = now()
  let ended = began
  const ids: string[] = []
  for (;;) {
    const [claim] = await queue.claim({ limit: 1, by, leaseMs: 60_000 })
    if (claim === undefined) break
    if (await queue.settle(claim, { to: 'closed', reason: 'Closed' })) ids.push(claim.id)
    ended = now()
  }
  console.log(JSON.stringify({ ids, began, ended }))
}
