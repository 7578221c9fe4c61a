import { readSync } from 'node:fs'
import type { Queue } from '../src/ports/queue.ts'

/** Waits for the word, then claims and closes until nothing is left, and says which tasks it was given and when the last was closed. */
export async function drainOnWord(queue: Queue, by: string): Promise<void> {
  process.stdout.write('ready\n')
  readSync(0, Buffer.alloc(16))
  const began = Date.now()
  let ended = began
  const ids: string[] = []
  for (;;) {
    const [claim] = await queue.claim({ limit: 1, by, leaseMs: 60_000 })
    if (claim === undefined) break
    if (await queue.settle(claim, { to: 'closed', reason: 'Closed' })) ids.push(claim.id)
    ended = Date.now()
  }
  console.log(JSON.stringify({ ids, began, ended }))
}
