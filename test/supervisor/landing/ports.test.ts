import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { LET_GO } from '../../../src/ports/verifier.ts'
import { blocksOf, PortBlocks } from '../../../src/supervisor/run/port-blocks.ts'
import { eventually } from '../../support/home-run.ts'
import { landingWorld } from '../../support/landing-world.ts'

test('the setup and the checks of a merged tree get the same ports, and keep them when the supervisor is restarted', async () => {
  const checked: (number | undefined)[] = []
  const it = await landingWorld(
    async (_subject, signal, { portBase }) => {
      checked.push(portBase)
      if (checked.length > 1) return { kind: 'passed', text: '', commands: [] }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error(LET_GO)
    },
    { setup: 'case "$FLEET_WORKTREE" in */landing/*) echo "$FLEET_PORT_BASE" >>"$FLEET_REPO/../ports";; esac' },
  )
  const one = it.supervisor()
  await one.start()
  await eventually(() => checked.length === 1, 'the merged tree is checked')
  const held = it.newest()?.state
  one.keep({ force: true })
  const next = new PortBlocks(it.world, () => true)
  if (held?.at === 'checking') next.remember('a check', held.portBase)
  const others = await Promise.all([next.take('one run'), next.take('another')])
  await it.supervisor().start()
  await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
  const [base] = blocksOf(it.world.home)
  const set = readFileSync(join(dirname(it.repository), 'ports'), 'utf8')
    .trim()
    .split('\n')
    .map(Number)
  expect({ checked, set, others: others.includes(base) }).toEqual({
    checked: [base, base],
    set: [base, base],
    others: false,
  })
})
