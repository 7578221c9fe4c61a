import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, test } from 'vitest'
import { BUILT } from '../support/workers.ts'
import { broken, FAULTS, type FaultName } from './broken-queue.ts'
import { CONTRACT } from './queue.ts'
import { openSqlite } from './sqlite.ts'
import type { QueueUnderTest } from './subject.ts'

const ADMITS = 'a claimer is asked about ready tasks in their order, and what it does not admit stays for others'
const HOLDS = 'claimsOf gives a claimer all that it holds by a lease, lapsed or not, with tokens that count'

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
  'hands out what its claimer does not admit': ADMITS,
  'gives up at the first task that is not admitted': ADMITS,
  'does not tell its claimer what the task says': ADMITS,
  'asks about more than it hands out': 'a claimer is asked about no more than it wants',
  'gives a task back at once, whatever the moment':
    'a task given back until a moment is not ready before it, and is handed out then',
  'waits for good': 'a task given back until a moment is not ready before it, and is handed out then',
  'keeps a moment that has passed': 'a moment that has passed holds nothing back',
  'tells of a retry that something else holds up':
    'nextRetryAt is the first moment at which time alone makes a task ready',
  'knows of no retry': 'nextRetryAt is the first moment at which time alone makes a task ready',
  'lets a task wait that a person reopened': 'a person who closes and reopens it ends the wait of a task',
  'forgets its own claims when they lapse': HOLDS,
  "counts a person's task among the claims of its namesake": HOLDS,
  'remembers claims that it lost': 'claimsOf leaves out what was taken away',
  'reclaims what was renewed meanwhile':
    'a lapsed claim that is renewed while another process reclaims goes to one of them, never to both',
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
