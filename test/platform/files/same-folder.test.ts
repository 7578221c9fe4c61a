import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isSameFolder, wayDown } from '../../../src/platform/files/same-folder.ts'
import { temporaryFolder } from '../../support/cli.ts'

/** `private/tmp/project/inner`, and `tmp` as a link to `private/tmp`, as on macOS. */
function mac(): string {
  const base = temporaryFolder()
  mkdirSync(join(base, 'private/tmp/project/inner'), { recursive: true })
  mkdirSync(join(base, 'private/tmp/project-two'))
  symlinkSync(join(base, 'private/tmp'), join(base, 'tmp'))
  return base
}

test.each([
  ['tmp/project', 'private/tmp/project', ''],
  ['private/tmp/project', 'tmp/project', ''],
  ['tmp/project', 'private/tmp/project/inner', 'inner'],
  ['private/tmp/project', 'tmp/project/inner', 'inner'],
  ['tmp', 'private/tmp/project/inner', 'project/inner'],
  ['tmp/project', 'private/tmp/project-two', undefined],
  ['tmp/project/inner', 'private/tmp/project', undefined],
  // Names decide where a folder does not exist.
  ['tmp/gone', 'tmp/gone/inner', 'inner'],
  ['tmp/gone', 'private/tmp/gone', undefined],
  ['tmp/..gone', 'tmp/..gone/x', 'x'],
  ['tmp', 'tmp/..gone', '..gone'],
])('the way from %s to %s is %j', (outer, inner, way) => {
  const base = mac()
  expect(wayDown(join(base, outer), join(base, inner))).toBe(way)
})

test('two names of one folder are the same folder', () => {
  const base = mac()
  expect(isSameFolder(join(base, 'tmp/project'), join(base, 'private/tmp/project'))).toBe(true)
  expect(isSameFolder(join(base, 'tmp/project'), join(base, 'private/tmp/project-two'))).toBe(false)
})
