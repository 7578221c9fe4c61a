import { expect, test } from 'vitest'
import { configReference } from '../../src/config/reference.ts'

// `npm run docs` runs this with -u, which writes the page.
test('docs/reference/config.md says what the table of settings says', async () => {
  await expect(configReference()).toMatchFileSnapshot('../../docs/reference/config.md', 'out of date: npm run docs')
})
