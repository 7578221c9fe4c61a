import { expect } from 'vitest'
import type { ContractCase } from '../subject.ts'

export const valueCases: readonly ContractCase[] = [
  {
    name: 'a named text is kept until it is replaced or removed, and each says what was there before',
    async run({ values }) {
      expect(await values.get('kv.colour')).toBeUndefined()
      expect(await values.set('kv.colour', 'blue')).toEqual({ kind: 'set', before: undefined })
      expect(await values.set('kv.colour', 'a "dark" green\nand more')).toEqual({ kind: 'set', before: 'blue' })
      expect(await values.get('kv.colour')).toBe('a "dark" green\nand more')
      expect(await values.remove('kv.colour')).toBe('a "dark" green\nand more')
      expect(await values.remove('kv.colour')).toBeUndefined()
      expect(await values.get('kv.colour')).toBeUndefined()
    },
  },
  {
    name: 'named texts are listed by prefix, in the order of their keys',
    async run({ values }) {
      await values.set('kv.memory.two', '2')
      await values.set('kv.memory.one', '--1')
      await values.set('kv.%', 'no pattern')
      expect([...(await values.list('kv.memory.'))]).toEqual([
        ['kv.memory.one', '--1'],
        ['kv.memory.two', '2'],
      ])
      expect([...(await values.list('kv.'))].map(([key]) => key)).toEqual(['kv.%', 'kv.memory.one', 'kv.memory.two'])
      expect([...(await values.list('kv._'))]).toEqual([])
    },
  },
  {
    name: 'a bound refuses a new named text that would be one too many, and one that replaces another',
    async run({ values }) {
      const bound = { prefix: 'kv.memory.', most: 2 }
      await values.set('kv.elsewhere', 'does not count')
      await values.set('kv.memory.a', '1', bound)
      await values.set('kv.memory.b', '2', bound)
      expect(await values.set('kv.memory.c', '3', bound)).toEqual({ kind: 'full', count: 2 })
      expect(await values.set('kv.memory.a', '4', bound)).toEqual({ kind: 'taken' })
      expect(await values.set('kv.memory.a', '1', bound)).toEqual({ kind: 'set', before: '1' })
      expect([...(await values.list('kv.memory.')).values()]).toEqual(['1', '2'])
    },
  },
]
