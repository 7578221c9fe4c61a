import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, test } from 'vitest'
import { BUILT } from '../support/workers.ts'
import { broken, DAWDLE_MS, FAULTS, type FaultName } from './broken-queue.ts'
import { CONTRACT, runCase } from './queue.ts'
import { openSqlite } from './sqlite.ts'
import type { QueueUnderTest } from './subject.ts'

const ADMITS = 'admits is called for ready tasks in order, and a task it refuses stays ready for other claimers'
const HOLDS = 'claimsOf returns all leased claims of a claimer, expired or not, with valid tokens'

/** The sentence of the contract that must break when a queue has this fault. A new fault without one does not compile. */
const CAUGHT_BY: Record<FaultName, string> = {
  'grants a task twice when two claim at once': 'eight processes racing for 200 tasks get each exactly once',
  'claims the newest first': 'claims come in the order of ready: priority, then oldest, then order of arrival',
  'ignores priority': 'claims come in the order of ready: priority, then oldest, then order of arrival',
  'claims epics': 'an epic is never claimed, but its children are',
  'claims held-up tasks': 'a task with an open blocker is not claimed',
  'forgets a deferral': 'a deferred task is claimed only once its date has come',
  'takes over expired leases when it claims':
    'a claim never takes a task with an expired lease, and its holder may still settle it late',
  'claims in two steps': 'a process killed inside its claim leaves no task half-claimed, and nothing is lost',
  'settles for any token': 'a claim with an old token or another holder writes nothing',
  'renews for any token': 'a claim with an old token or another holder writes nothing',
  'reports a settlement that it did not make': 'a claim is settled once',
  'decides about a blocked task for any token':
    'a blocked task that a person reopened, and whoever claims and blocks it then, is not decided about',
  'keeps the label of a task that is no longer blocked':
    'a claimer reopens a task that it left blocked, at once or after a delay',
  'decides about a blocked task whatever it waits for':
    'a blocked task that waits for something else by now is not decided about',
  'frees no dependents of a blocked task that it closes':
    'a claimer closes a task that it left blocked, which frees its dependents',
  'forgets to extend a lease': 'renew extends the lease',
  'reopens an expired task without a new token':
    'reclaimExpired reopens tasks with an expired lease and fences off the old holder',
  "lets a person's claim expire": "a person's claim never expires",
  'lets two people take the same task at once':
    'if two people take a task at the same moment, exactly one gets it, every time',
  'closes a task without freeing its dependents':
    'the last of two blockers to close frees the dependent, whoever closes it',
  'loses a dependent when its two blockers close at once':
    'two blockers closed at the same moment by two processes free the dependent, every time',
  'leaves the supervisor its claim when a person closes the task':
    'a person who closes a running task fences off the supervisor',
  'accepts a cycle': 'a cycle is refused with its path, and nothing changes',
  'claims tasks that the claimer does not admit': ADMITS,
  'stops at the first task that is not admitted': ADMITS,
  'hides the metadata of a task from its claimer': ADMITS,
  'asks about more tasks than it claims': 'admits is not called again once the limit is reached',
  'shares a lock': 'tasks that share a lock are claimed one after another, and others meanwhile',
  'lets a lock be taken by two at once': 'of tasks that share a lock, claims made at the same moment get one',
  'lets a person wait for a lock': "a person's claim neither waits for a lock nor holds one",
  'releases a task without its retry delay':
    'a task released with a retry time is not ready before that time, and is claimed afterwards',
  'never ends a retry delay':
    'a task released with a retry time is not ready before that time, and is claimed afterwards',
  'never clears a past retry time': 'a retry time in the past delays nothing',
  'reports the retry of a task that is held up':
    'nextRetryAt is the earliest time at which a task becomes ready without any other change',
  'reports no retry': 'nextRetryAt is the earliest time at which a task becomes ready without any other change',
  'keeps the retry delay of a task that a person reopened':
    'a person who closes and reopens it ends the retry delay of a task',
  'forgets expired claims': HOLDS,
  'counts the task of a person as a claim of the supervisor with the same name': HOLDS,
  'returns lost claims': 'claimsOf omits claims that were lost',
  'reclaims a task that was renewed meanwhile':
    'an expired claim that is renewed while another process reclaims it goes to one of them, never to both',
}

async function openBroken(fault: FaultName): Promise<QueueUnderTest> {
  const right = await openSqlite()
  const db = new DatabaseSync(right.path, { timeout: 5000 })
  return {
    ...right,
    // Two that have got out of step would miss each other every time.
    apartMs: 3 * DAWDLE_MS,
    effort: 0.5,
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
      if (sentence === undefined) throw new Error(`the contract has no sentence "${CAUGHT_BY[fault]}"`)
      await using subject = await openBroken(fault)
      // It must be an assertion of the contract that fails, not a crash of the broken queue.
      await expect(runCase(sentence, subject)).rejects.toThrow(/^expected /)
    })
  }
})
