import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { loadDriver } from '../../../src/platform/sqlite/driver.ts'
import { temporaryFolder } from '../../support/cli.ts'

const INSTALLED = resolve(import.meta.dirname, '../../../node_modules')
const PACKAGE = '@photostructure/sqlite'

function answer(from: string): unknown {
  const { DatabaseSync } = loadDriver(from)
  const db = new DatabaseSync(':memory:')
  try {
    return db.prepare('select 6 * 7 as n').get()
  } finally {
    db.close()
  }
}

/** An installation with the test's own package. */
function installation(): { from: string; folder: string } {
  const root = temporaryFolder()
  const from = join(root, 'fleet/dist')
  const folder = join(root, 'node_modules', PACKAGE)
  mkdirSync(from, { recursive: true })
  mkdirSync(dirname(folder), { recursive: true })
  return { from, folder }
}

test('the driver is found as Node would find it, also in a parent folder', () => {
  const { from, folder } = installation()
  symlinkSync(join(INSTALLED, PACKAGE), folder)
  expect(answer(from)).toEqual({ n: 42 })
})

test.each([
  ['there is no prebuilt file for the machine', (_folder: string) => {}],
  [
    'the prebuilt file cannot be loaded',
    (folder: string) => {
      const place = join(folder, `prebuilds/${process.platform}-${process.arch}`)
      mkdirSync(place, { recursive: true })
      writeFileSync(join(place, '@photostructure+sqlite.glibc.node'), 'no program')
    },
  ],
  ['somebody has built it', (folder: string) => mkdirSync(join(folder, 'build'))],
])('where %s, the package finds its own way', (_what, arrange) => {
  const { from, folder } = installation()
  cpSync(join(INSTALLED, PACKAGE, 'package.json'), join(folder, 'package.json'), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  // Stands in for the package's own search, which finds the real driver.
  writeFileSync(join(folder, 'dist/index.cjs'), `module.exports = require(${JSON.stringify(join(INSTALLED, PACKAGE))})`)
  arrange(folder)
  expect(answer(from)).toEqual({ n: 42 })
})

test('without the package the error names what is missing', () => {
  expect(() => loadDriver(installation().from)).toThrow(/Cannot find module '@photostructure\/sqlite'/)
})
