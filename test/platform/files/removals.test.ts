import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isGone, Removals } from '../../../src/platform/files/removals.ts'
import { temporaryFolder } from '../../support/cli.ts'

test('a folder is out of the way at once, and removed while other work goes on', async () => {
  const top = temporaryFolder()
  const path = join(top, 'tree')
  mkdirSync(join(path, 'deep'), { recursive: true })
  for (let i = 0; i < 2000; i++) writeFileSync(join(path, 'deep', String(i)), '')
  const removals = new Removals()
  let turns = 0
  const turn = (): void => {
    turns++
    ticking = setImmediate(turn)
  }
  let ticking = setImmediate(turn)
  removals.begin(path)
  expect([existsSync(path), readdirSync(top).map(isGone)]).toEqual([false, [true]])
  removals.begin(path)
  await removals.done()
  clearImmediate(ticking)
  expect([readdirSync(top), turns > 10]).toEqual([[], true])
})
