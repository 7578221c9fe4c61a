import { expect } from 'vitest'
import type { Queue } from '../../../src/ports/queue.ts'
import { Worker } from '../../support/workers.ts'
import type { ContractCase, QueueUnderTest } from '../subject.ts'

const MINUTE = 60_000
/** Long enough for the slower of two processes to finish: one that is late is in step again at the next call. */
const APART_MS = 4

/** Fewer rounds for a slow backend, but enough for real races. */
const rounds = ({ effort = 1 }: QueueUnderTest, usual: number) => Math.max(2, Math.ceil(usual * effort))

async function makeTasks({ queue, createAll }: QueueUnderTest, count: number): Promise<string[]> {
  const titles = Array.from({ length: count }, (_, i) => `task ${i}`)
  if (createAll !== undefined) return await createAll(titles)
  const ids: string[] = []
  for (const title of titles) ids.push((await queue.create({ title }, 'maker')).id)
  return ids
}

const timed = ({ apartMs = APART_MS }: QueueUnderTest, ids: readonly string[]) =>
  ids.map((id, i) => ({ id, at: i * apartMs }))

/** Far enough ahead that every worker has read its start signal by then. */
const soon = () => Date.now() + 250

async function claimEverything(queue: Queue, by: string): Promise<string[]> {
  const claims = await queue.claim({ limit: 100_000, by, leaseMs: MINUTE })
  return claims.map((claim) => claim.id)
}

export const raceCases: readonly ContractCase[] = [
  {
    name: 'eight processes racing for 200 tasks get each exactly once',
    async run(subject) {
      const ids = await makeTasks(subject, rounds(subject, 200))
      const job = (i: number) => ({ kind: 'claim', by: `worker-${i}`, leaseMs: MINUTE }) as const
      await using workers = await Worker.startAll(
        subject.connection(),
        Array.from({ length: 8 }, (_, i) => job(i)),
      )
      const claimed = await workers.run()
      expect(claimed.flat().sort()).toEqual([...ids].sort())
      for (const [i, mine] of claimed.entries()) {
        for (const id of mine)
          expect(await subject.queue.get(id)).toMatchObject({ status: 'in_progress', assignee: `worker-${i}` })
      }
    },
  },
  {
    name: 'two blockers closed at the same moment by two processes free the dependent, every time',
    async run(subject) {
      const { queue } = subject
      const sides: [string[], string[]] = [[], []]
      const dependents: string[] = []
      const pairs = rounds(subject, 60)
      const blockers = await makeTasks(subject, 2 * pairs)
      for (let i = 0; i < pairs; i++) {
        const pair = blockers.slice(2 * i, 2 * i + 2)
        sides[0].push(pair[0] ?? '')
        sides[1].push(pair[1] ?? '')
        const dependencies = pair.map((on) => ({ on, type: 'blocks' }))
        dependents.push((await queue.create({ title: `after pair ${i}`, dependencies }, 'maker')).id)
      }
      await using workers = await Worker.startAll(
        subject.connection(),
        sides.map((side, i) => ({ kind: 'close', by: `worker-${i}`, calls: timed(subject, side) })),
      )
      const answers = await workers.run(soon())
      expect(new Set(answers.flat())).toEqual(new Set(['closed']))
      expect((await queue.ready({ limit: 1000 })).map((task) => task.id)).toEqual(dependents)
    },
  },
  {
    name: 'if two people take a task at the same moment, exactly one gets it, every time',
    async run(subject) {
      const ids = await makeTasks(subject, rounds(subject, 60))
      const people = ['anna', 'bob']
      await using workers = await Worker.startAll(
        subject.connection(),
        people.map((by) => ({ kind: 'take', by, calls: timed(subject, ids) })),
      )
      const answers = await workers.run(soon())
      for (const [i, id] of ids.entries()) {
        const kinds = answers.map((each) => each[i])
        expect([...kinds].sort()).toEqual(['held', 'taken'])
        expect((await subject.queue.get(id))?.assignee).toBe(people[kinds.indexOf('taken')])
      }
    },
  },
  {
    name: 'an expired claim that is renewed while another process reclaims it goes to one of them, never to both',
    async run(subject) {
      const { queue, clock } = subject
      const ids = await makeTasks(subject, rounds(subject, 200))
      const claims = await queue.claim({ limit: ids.length, by: 'claimer', leaseMs: MINUTE })
      clock.millis += MINUTE + 1
      await using workers = await Worker.startAll(subject.connection(), [
        { kind: 'renew', claims, leaseMs: MINUTE, everyMs: 1 },
        { kind: 'reclaim', at: 50 },
      ])
      const [renewed = [], reclaimed = []] = await workers.run(soon())
      expect([...renewed, ...reclaimed].sort()).toEqual([...ids].sort())
      expect((await queue.claimsOf('claimer')).map((claim) => claim.id).sort()).toEqual([...renewed].sort())
      expect((await queue.ready({ limit: 1000 })).map((task) => task.id).sort()).toEqual([...reclaimed].sort())
    },
  },
  {
    name: 'a process killed inside its claim leaves no task half-claimed, and nothing is lost',
    async run(subject) {
      const { queue, clock } = subject
      const kills = rounds(subject, 30)
      const atMost = Math.max(10, rounds(subject, 50))
      const ids = await makeTasks(subject, kills * atMost)
      const reported = new Map<string, string>()
      for (let kill = 0; kill < kills; kill++) {
        const by = `worker-${kill}`
        await using worker = await Worker.start(subject.connection(), { kind: 'claim', by, leaseMs: MINUTE, atMost })
        worker.go()
        // Killed after a different number of claims each time, at an arbitrary point.
        const seen: string[] = []
        while (seen.length <= kill % 7) {
          const id = await worker.next()
          if (id === undefined) throw new Error(`${by} ended by itself: ${(await worker.finish()).join()}`)
          seen.push(id)
        }
        for (const id of [...seen, ...(await worker.kill())]) reported.set(id, by)
      }
      const held = await expectWhole(subject, ids)
      for (const [id, by] of reported)
        expect(await queue.get(id)).toMatchObject({ status: 'in_progress', assignee: by })
      clock.millis += MINUTE + 1
      expect([...(await queue.reclaimExpired())].sort()).toEqual(held.sort())
      expect((await claimEverything(queue, 'next')).sort()).toEqual([...ids].sort())
    },
  },
]

/**
 * Asserts that every task is either open without an assignee or in progress with one, and that the history, if there is
 * one, agrees. Returns those in progress.
 */
async function expectWhole({ queue, history }: QueueUnderTest, ids: readonly string[]): Promise<string[]> {
  const open = new Set((await queue.ready({ limit: 100_000 })).map((task) => task.id))
  const held = ids.filter((id) => !open.has(id))
  const holder = expect.stringMatching(/^worker-\d+$/)
  for (const id of open) expect(await queue.get(id)).toMatchObject({ status: 'open', assignee: '', started_at: null })
  for (const id of held) {
    expect(await queue.get(id)).toMatchObject({
      status: 'in_progress',
      assignee: holder,
      started_at: expect.any(String),
    })
  }
  if (history !== undefined) {
    for (const id of ids) expect(await history(id)).toEqual(open.has(id) ? ['created'] : ['created', 'claimed'])
  }
  return held
}
