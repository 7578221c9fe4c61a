import { expect, test } from 'vitest'
import { entryAt } from '../../../src/platform/files/folder.ts'
import { probeBd } from '../../../src/queues/beads/bd.ts'
import { fakeBd } from '../../support/fake-bd.ts'

const HOUR = 3_600_000

test.each([
  ['for an hour', Date.now() - HOUR / 2, '1.2.2'],
  ['no longer: behind a file that stays the same may be another bd', Date.now() - 2 * HOUR, '1.3.0'],
])('the version of bd is cached %s', async (_, askedAt, version) => {
  const { script, beads, env } = fakeBd({ version: '1.3.0' })
  const { size, changedAt } = entryAt(script) ?? {}
  const memory = { get: () => `${script} ${size} ${changedAt} 1.2.2 ${askedAt}`, set: () => {} }
  expect(await probeBd({ beads, env, memory })).toMatchObject({ file: script, version })
})
