import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { configReference } from '../../src/config/reference.ts'
import { hasJq } from '../support/tools.ts'
import { bdCompatibility } from './bd-compatibility.ts'
import { cliReference } from './cli-reference.ts'
import { rerun } from './transcript.ts'

/** `npm run docs` writes these pages anew; here they are only compared. */
const root = resolve(import.meta.dirname, '../..')
const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`)

for (const page of ['README.md', ...guides]) {
  const path = join(root, page)
  const text = readFileSync(path, 'utf8')
  test.skipIf(!hasJq && text.includes('jq '))(
    `${page} shows what the commands really print (npm run docs)`,
    async () => {
      await expect(rerun(text)).toMatchFileSnapshot(path)
    },
  )
}

test('docs/reference/cli.md is what the command tables say (npm run docs)', async () => {
  await expect(await cliReference()).toMatchFileSnapshot(join(root, 'docs/reference/cli.md'))
})

test('docs/reference/config.md is what the table of settings says (npm run docs)', async () => {
  await expect(configReference()).toMatchFileSnapshot(join(root, 'docs/reference/config.md'))
})

test('docs/reference/bd-compatibility.md is what the differential suite marks (npm run docs)', async () => {
  await expect(await bdCompatibility()).toMatchFileSnapshot(join(root, 'docs/reference/bd-compatibility.md'))
})
