import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, sourcesOfCli } from '../../scripts/bundle.mjs'
import { LICENCES, licencesOf, packagesOf } from '../../scripts/licences.mjs'
import { temporaryFolder } from '../support/cli.ts'

test('the build carries the licence of every package whose code is in it, and of no other', async () => {
  // Not the list that the build itself uses: the files that its source maps name.
  const bundled = packagesOf(await sourcesOfCli()).map(({ id }) => id)
  const text = readFileSync(join(ROOT, 'dist', LICENCES), 'utf8')
  const named = [...text.matchAll(/^---- (\S+) \(.+\)$/gm)].map(([, id]) => id)
  expect(bundled).toEqual(expect.arrayContaining([expect.stringMatching(/^pg@/), expect.stringMatching(/^smol-toml@/)]))
  expect(named).toEqual(bundled)
})

function packageIn(folder: string, files: Record<string, string>): string {
  const place = join(folder, 'node_modules', '@some', 'thing')
  mkdirSync(place, { recursive: true })
  const manifest = { name: '@some/thing', version: '1.2.3', license: 'MIT' }
  for (const [name, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files }))
    writeFileSync(join(place, name), text)
  return join(place, 'lib', 'index.js')
}

test.each([
  ['a file', { license: 'Do as you like.\n' }],
  ['its README', { 'README.md': '# Thing\n\n## License\n\nDo as you like.\n' }],
])('a licence is taken from %s', (_place, files) => {
  const module = packageIn(temporaryFolder(), files)
  expect(licencesOf([module, module, '/src/own.ts'])).toBe(
    'fleet contains code of these packages.\n\n---- @some/thing@1.2.3 (MIT)\n\nDo as you like.\n',
  )
})

test('a package without a licence text stops the build', () => {
  const module = packageIn(temporaryFolder(), { 'README.md': '# Thing\n' })
  expect(() => licencesOf([module])).toThrow('@some/thing@1.2.3 has no licence text')
})
