import { realBd } from '../support/real-bd.ts'
import { openBeads } from './beads.ts'
import { queueContract } from './queue.ts'

queueContract('the beads queue, on a real bd', openBeads, {
  skip: realBd === '',
  timeoutMs: 240_000,
  concurrent: true,
})
