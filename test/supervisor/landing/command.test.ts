import { expect, test } from 'vitest'
import { settingsOf } from '../../../src/domain/task/settings.ts'
import { eventually } from '../../support/home-run.ts'
import { landingWorld } from '../../support/landing-world.ts'

test('what lands is checked with the command that its task had when the run began, whatever an agent makes of it then', async () => {
  const checked: (string | undefined)[] = []
  const it = await landingWorld(
    async (_subject, _signal, { command }) => {
      checked.push(command)
      return { kind: 'passed', text: '', commands: [] }
    },
    {
      settings: { verify: 'sh check.sh' },
      keyOf: ({ command }) => `runs ${command}`,
      queue: (queue) => ({
        async settle(claim, next) {
          const metadata = (now: Readonly<Record<string, unknown>>) => ({
            ...now,
            fleet: { ...settingsOf(now), verify: 'true' },
          })
          await it.store.queue.update(claim.id, { metadata }, 'an agent')
          return await queue.settle(claim, next)
        },
      }),
    },
  )
  await it.supervisor().start()
  await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
  const { verify } = settingsOf((await it.store.queue.get(it.id))?.metadata ?? {})
  const [landed] = it.store.ledger.landings.landed(1)
  expect({ checked, verify, landed: landed?.task }).toEqual({ checked: ['sh check.sh'], verify: 'true', landed: it.id })
})
