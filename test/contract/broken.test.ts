import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, test } from 'vitest'
import { BUILT } from '../support/workers.ts'
import { broken, FAULTS, type FaultName } from './broken-queue.ts'
import { CONTRACT } from './queue.ts'
import { openSqlite } from './sqlite.ts'
import type { QueueUnderTest } from './subject.ts'

/** The sentence of the contract that must break when a queue has this fault. A new fault without one does not compile. */
const CAUGHT_BY: Record<FaultName, string> = {
  'hands a task out twice when two ask at once': 'eight processes racing for 200 tasks get each exactly once',
  'hands out the newest first': 'claims come in the order of ready: priority, then oldest, then order of arrival',
  'ignores priority': 'claims come in the order of ready: priority, then oldest, then order of arrival',
  'hands out epics': 'an epic is never handed out, its children are',
  'hands out what is held up': 'a task with an open blocker is not handed out',
  'forgets a deferral': 'a deferred task is not handed out before its time, and is handed out then',
  'takes over expired leases when it claims':
    'a claim never takes over an expired lease, and its late holder may still settle it',
  'claims in two steps': 'a process killed inside its claim leaves no task half-claimed, and nothing is lost',
  'settles whoever asks': 'a token of another time or another holder writes nothing',
  'renews whoever asks': 'a token of another time or another holder writes nothing',
  'says it settled what it did not': 'a claim is settled once',
  'forgets to extend a lease': 'renew extends the lease',
  'reopens a lapsed task under its old token':
    'reclaimExpired reopens what a supervisor let lapse and fences off the old holder',
  "lets a person's claim expire": "a person's claim never expires",
  'lets two people take the same task at once':
    'of two people who take a task at the same moment one gets it, every time',
  'closes and forgets the dependents': 'the last of two blockers to close frees the dependent, whoever closes it',
  'loses a dependent when its two blockers close at once':
    'two blockers closed at the same moment by two processes free the dependent, every time',
  'leaves the supervisor its claim when a person closes the task':
    'a person who closes a running task fences off the supervisor',
  'lets a cycle in': 'a cycle is refused with its path, and nothing changes',
}

async function openBroken(fault: FaultName): Promise<QueueUnderTest> {
  const right = await openSqlite()
  const db = new DatabaseSync(right.path, { timeout: 5000 })
  return {
    ...right,
    queue: broken(right.queue, { db, now: () => right.clock.millis }, fault),
    connection: () => ({
      module: join(BUILT, 'connect-broken.cjs'),
      options: { path: right.path, now: right.clock.millis, fault },
    }),
    async [Symbol.asyncDispose]() {
      db.close()
      await right[Symbol.asyncDispose]()
    },
  }
}

describe('the contract fails on a queue that', () => {
  for (const fault of Object.keys(FAULTS) as FaultName[]) {
    test(fault, async () => {
      const sentence = CONTRACT.find((each) => each.name === CAUGHT_BY[fault])
      await using subject = await openBroken(fault)
      // An assertion of the contract, not a crash of the broken queue on the way there.
      await expect(sentence?.run(subject)).rejects.toThrow(/^expected /)
    })
  }
})
