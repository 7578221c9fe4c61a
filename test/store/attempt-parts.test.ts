import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home } from '../../src/platform/files/home.ts'
import { homeAttempts } from '../../src/store/attempts.ts'
import { temporaryFolder } from '../support/cli.ts'

test('a part of an attempt is removed with its contents, and nothing behind a link that an agent made', () => {
  const folder = temporaryFolder()
  const home = new Home(join(folder, 'home'))
  mkdirSync(home.path)
  const attempts = homeAttempts(home)
  attempts.make('fleet-a', 1)
  const part = attempts.part('fleet-a', 1, 'landing')
  const other = attempts.part('fleet-a', 1, 'other')
  writeFileSync(join(part, 'output.log'), 'x\n')
  attempts.removeParts('fleet-a', 1, ['landing', 'missing'])
  expect([existsSync(part), existsSync(other)]).toEqual([false, true])
  const own = join(folder, 'of a person')
  mkdirSync(join(own, 'landing'), { recursive: true })
  renameSync(attempts.folder('fleet-a', 1), join(folder, 'away'))
  symlinkSync(own, attempts.folder('fleet-a', 1))
  attempts.removeParts('fleet-a', 1, ['landing'])
  expect(existsSync(join(own, 'landing'))).toBe(true)
})
