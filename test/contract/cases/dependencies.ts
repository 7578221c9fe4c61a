import { expect } from 'vitest'
import type { Queue } from '../../../src/ports/queue.ts'
import { task } from '../given.ts'
import type { ContractCase } from '../subject.ts'

const make = async (queue: Queue, title: string, more: object = {}) =>
  (await queue.create({ title, ...more }, 'maker')).id
const link = (queue: Queue, issue_id: string, depends_on_id: string, type = 'blocks') =>
  queue.addDependency({ issue_id, depends_on_id, type }, 'anna')

const A = { tasks: [task('a')] }
const A_AND_B = { tasks: [task('a'), task('b')] }
const A_B_C = { tasks: [task('a'), task('b'), task('c')] }
const [a, b, c] = ['fleet-a', 'fleet-b', 'fleet-c']

export const dependencyCases: readonly ContractCase[] = [
  {
    name: 'a task cannot depend on itself',
    given: A,
    async run({ queue }) {
      expect(await link(queue, a, a)).toEqual({ kind: 'itself' })
      expect((await queue.ready({ limit: 10 })).map(({ id }) => id)).toEqual([a])
    },
  },
  {
    name: 'a cycle is refused with its path, and nothing changes',
    given: A_B_C,
    async run({ queue }) {
      expect([await link(queue, a, b), await link(queue, b, c)]).toEqual([{ kind: 'added' }, { kind: 'added' }])
      expect(await link(queue, b, a)).toEqual({ kind: 'cycle', path: [b, a, b] })
      expect(await link(queue, c, a)).toEqual({ kind: 'cycle', path: [c, a, b, c] })
      expect((await queue.ready({ limit: 10 })).map(({ id }) => id)).toEqual([c])
    },
  },
  {
    name: 'a cycle of dependency types that hold nothing up is allowed',
    given: A_AND_B,
    async run({ queue }) {
      expect([await link(queue, a, b), await link(queue, b, a, 'related')]).toEqual([
        { kind: 'added' },
        { kind: 'added' },
      ])
    },
  },
  {
    name: 'adding a dependency twice keeps one, and another type between the same two tasks is refused',
    given: A_AND_B,
    async run({ queue }) {
      expect([await link(queue, a, b), await link(queue, a, b), await link(queue, a, b, 'related')]).toEqual([
        { kind: 'added' },
        { kind: 'already' },
        { kind: 'other-type', type: 'blocks' },
      ])
    },
  },
  {
    name: 'a dependency needs two existing tasks, and a task cannot wait for its ancestor or descendant',
    given: { tasks: [task('a'), { title: 'child', parent: a }, { title: 'grandchild', parent: `${a}.1` }] },
    async run({ queue }) {
      const grandchild = `${a}.1.1`
      expect([
        await link(queue, a, `${a}zzz`),
        await link(queue, `${a}zzz`, a),
        await link(queue, grandchild, a),
        await link(queue, a, grandchild),
      ]).toEqual([
        { kind: 'unknown', id: `${a}zzz` },
        { kind: 'unknown', id: `${a}zzz` },
        { kind: 'own-parent' },
        { kind: 'own-child' },
      ])
    },
  },
  {
    name: 'a task whose dependencies are refused is not created at all',
    given: A,
    async run({ queue }) {
      const dependencies = [
        { on: a, type: 'related' },
        { on: `${a}zzz`, type: 'blocks' },
      ]
      await expect(queue.create({ title: 'half', dependencies }, 'maker')).rejects.toThrow()
      await expect(queue.create({ title: 'orphan', parent: `${a}zzz` }, 'maker')).rejects.toThrow()
      expect((await queue.ready({ limit: 10 })).map(({ id }) => id)).toEqual([a])
    },
  },
  {
    name: 'a new task may hold up an existing one',
    given: A,
    async run({ queue }) {
      const first = await make(queue, 'first', {
        priority: 4,
        dependencies: [{ on: a, type: 'blocks', reverse: true }],
      })
      expect((await queue.ready({ limit: 10 })).map(({ id }) => id)).toEqual([first])
    },
  },
  {
    name: 'ids are unique, and the id of a child starts with that of its parent',
    async run({ queue, effort = 1 }) {
      const ids = new Set<string>()
      const many = Math.max(5, Math.ceil(50 * effort))
      for (let i = 0; i < many; i++) ids.add(await make(queue, 'same title'))
      expect(ids.size).toBe(many)
      const [parent = ''] = ids
      expect([await make(queue, 'one', { parent }), await make(queue, 'two', { parent })]).toEqual([
        `${parent}.1`,
        `${parent}.2`,
      ])
      expect(await queue.get(`${parent}.1`)).toMatchObject({ id: `${parent}.1`, title: 'one' })
      expect(await queue.get(`${parent}.3`)).toBeUndefined()
    },
  },
]
