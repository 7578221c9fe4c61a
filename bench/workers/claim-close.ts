import { openLocalQueue } from '../../src/app.ts'
import { Home } from '../../src/platform/files/home.ts'

/** Claims and closes every task of a home, one by one, and prints how long it took. */
async function main(home: string): Promise<void> {
  await using queue = openLocalQueue(new Home(home))
  const start = process.hrtime.bigint()
  let done = 0
  for (;;) {
    const [claim] = await queue.claim({ limit: 1, by: 'worker', leaseMs: 60_000 })
    if (claim === undefined) break
    if (await queue.settle(claim, { to: 'closed', reason: 'Closed' })) done++
  }
  console.log(JSON.stringify({ done, seconds: Number(process.hrtime.bigint() - start) / 1e9 }))
}

main(process.argv[2] ?? '')
