import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launcher } from '../../support/agents.ts'
import { fleetHome } from '../../support/home-run.ts'

const FAIL = join(import.meta.dirname, '../../support/fail-after-launcher.cjs')

const NAME =
  'a supervisor that fails after it has opened its launcher ends at once with the reason, and the next one starts'

test.skipIf(launcher === undefined)(NAME, async () => {
  const home = await fleetHome()
  const id = await home.script('true')
  const failed = await home.supervise({ env: { NODE_OPTIONS: `--require=${FAIL}` }, wait: false })
  expect(await failed.exited).toEqual({ code: 1, signal: null })
  expect(failed.output()).toContain('this machine has no name')
  expect(await home.logged('start-failed')).toMatchObject({ why: 'this machine has no name' })
  const { stdout, stderr, code } = home.fleet(['run', 'start'], { env: { NODE_OPTIONS: `--require=${FAIL}` } })
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
  expect(stderr).toContain('this machine has no name')
  await home.supervise()
  await home.becomes(id, 'closed')
  expect(home.fleet(['run', 'stop']).code).toBe(0)
})
