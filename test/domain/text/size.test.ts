import { expect, test } from 'vitest'
import { tooMuchMemory } from '../../../src/domain/run/diagnosis/memory.ts'
import { sizeBytes, sizeText } from '../../../src/domain/text/size.ts'

test('sizes are read and told in powers of a thousand', () => {
  expect(['4GB', '1.5 gb', '512MB', '10KB', '5', 'much', '-1GB'].map(sizeBytes)).toEqual([
    4e9,
    1.5e9,
    512e6,
    10e3,
    undefined,
    undefined,
    undefined,
  ])
  expect([4e9, 1.55e9, 700e6, 2e3].map(sizeText)).toEqual(['4 GB', '1.6 GB', '700 MB', '2 KB'])
})

test('too much memory is told with the largest processes', () => {
  const use = (pid: number, bytes: number) => ({ pid, bytes, command: `tool${pid}` })
  expect(tooMuchMemory([use(1, 1e9), use(2, 1e9)], 2e9)).toBeUndefined()
  expect(tooMuchMemory([use(1, 1e8), use(2, 2e9), use(3, 3e8), use(4, 4e8)], 2e9)).toEqual({
    code: 'out-of-memory',
    text: 'its processes used 2.8 GB of memory, and limits.memory is 2 GB, the largest of 4 processes: tool2 (pid 2) 2 GB, tool4 (pid 4) 400 MB, tool3 (pid 3) 300 MB',
  })
})
