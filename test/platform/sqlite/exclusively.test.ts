import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Database } from '../../../src/platform/sqlite/database.ts'
import { exclusively } from '../../../src/platform/sqlite/exclusively.ts'
import { temporaryFolder } from '../../support/cli.ts'

test('one process takes the same lock again as soon as its first work ended, however that ended', async () => {
  const path = join(temporaryFolder(), 'lock')
  // More than once, because the garbage collector might free one lock in time. Each wait would take ten seconds.
  for (let n = 0; n < 20; n++) {
    expect(await exclusively(path, async () => n)).toBe(n)
    await expect(exclusively(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  }
})

test('the lock is held until the work ends', async () => {
  const path = join(temporaryFolder(), 'lock')
  await exclusively(path, async () => {
    expect(() => new Database(path, { busyTimeoutMs: 0 })).toThrow('is locked by another process')
  })
  new Database(path, { busyTimeoutMs: 0 })[Symbol.dispose]()
})
