import { openLocalQueue } from '../../src/app.ts'
import { Home } from '../../src/platform/files/home.ts'

const WARM_UP = 100
const CLAIMS = 900

/** How long each of some hundred claims takes. */
async function main(home: string): Promise<void> {
  await using queue = openLocalQueue(new Home(home))
  const micros: number[] = []
  for (let i = 0; i < WARM_UP + CLAIMS; i++) {
    const start = process.hrtime.bigint()
    const claims = await queue.claim({ limit: 1, by: 'worker', leaseMs: 60_000 })
    if (claims.length !== 1) throw new Error(`claim ${i} gave ${claims.length} tasks`)
    if (i >= WARM_UP) micros.push(Number(process.hrtime.bigint() - start) / 1000)
  }
  console.log(JSON.stringify({ micros }))
}

main(process.argv[2] ?? '')
