import { expect, test } from 'vitest'
import { claims, result, testFleet, writes } from '../../support/supervisor.ts'

test('the receipt names the paying account, with a warning if it is not the key that was passed', async () => {
  const fleet = testFleet({ config: ['env_pass=["ANTHROPIC_API_KEY"]'], env: { ANTHROPIC_API_KEY: 'sk-of-the-team' } })
  const work = [writes('a.txt'), claims(), result()]
  const [byKey, byLogin] = ['ANTHROPIC_API_KEY', 'none'].map((apiKeySource) =>
    fleet.create(`Paid by ${apiKeySource}`, [{ claude: 'init', apiKeySource }, ...work]),
  ) as [string, string]
  await fleet.start()
  for (const id of [byKey, byLogin]) await fleet.settled(id, 'closed')
  expect(fleet.receipt(byKey)).toMatchObject({ payer: 'ANTHROPIC_API_KEY', warnings: [] })
  expect(fleet.receipt(byLogin)).toMatchObject({
    payer: 'none',
    warnings: ['claude was given ANTHROPIC_API_KEY, but says that another account pays: none'],
  })
})
