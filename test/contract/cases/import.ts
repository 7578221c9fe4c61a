import { expect } from 'vitest'
import { recordOf, type TaskRecord } from '../../../src/domain/task/interchange.ts'
import { rfc3339 } from '../../../src/domain/task/time.ts'
import type { ContractCase } from '../subject.ts'

const LENGTH = 10_000

const nameOf = (i: number): string => `fleet-c${i}`

/** Each is a child of the one before it, and waits for a task beside it. */
function chain(now: string): TaskRecord[] {
  return Array.from({ length: LENGTH }, (_, i) => {
    const dependencies = [
      { depends_on_id: `fleet-w${i % 10}`, type: 'blocks' },
      ...(i === 0 ? [] : [{ depends_on_id: nameOf(i - 1), type: 'parent-child' }]),
    ]
    return record({ id: nameOf(i), labels: ['plan'], dependencies }, now)
  })
}

function record(fields: { id: string } & Record<string, unknown>, now: string): TaskRecord {
  const read = recordOf(JSON.stringify({ title: fields.id, priority: 2, ...fields }), now)
  if (read.kind !== 'record') throw new Error(JSON.stringify(read))
  return read.record
}

export const importCases: readonly ContractCase[] = [
  {
    name: 'a chain of 10,000 children is imported at once, and what would close a circle in it is refused',
    async run({ queue, importing, clock }) {
      if (importing === undefined) return
      const now = rfc3339(clock.millis)
      const waited = Array.from({ length: 10 }, (_, i) => record({ id: `fleet-w${i}` }, now))
      const { created, skippedDependencies } = await importing([...chain(now), ...waited])
      expect([created.length, skippedDependencies]).toEqual([LENGTH + 10, []])
      const back = { depends_on_id: nameOf(LENGTH - 1), type: 'blocks' }
      const { skippedDependencies: refused } = await importing([record({ id: nameOf(0), dependencies: [back] }, now)])
      expect(refused.map(({ edge, why }) => [edge.issue_id, edge.depends_on_id, why.kind])).toEqual([
        [nameOf(0), nameOf(LENGTH - 1), 'own-child'],
      ])
      expect((await queue.ready({ limit: 20 })).map(({ id }) => id)).toEqual(waited.map(({ id }) => id))
    },
  },
]
