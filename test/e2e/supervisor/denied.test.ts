import { expect, test } from 'vitest'
import { claims, healthy, init, result, testFleet, until, writes } from '../../support/supervisor.ts'

const RULE = "Permission to use Bash has been denied because Claude Code is running in don't ask mode."
/** A call that the permissions deny, as claude reports it. */
const denied = {
  emit: {
    type: 'system',
    subtype: 'permission_denied',
    tool_name: 'Bash',
    tool_use_id: 'toolu_1',
    message: `${RULE} IMPORTANT: You may use other tools.`,
  },
}

test('a denial that stops the work blocks the task with the tool, the rule and the remedy, and is not retried unchanged', async () => {
  const fleet = testFleet({ config: ['permissions=settings'] })
  const id = fleet.create('Needs a shell', [[init, denied, result('I could not run it')], healthy('x.txt')])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  const text = `the permissions of claude denied Bash: ${RULE}; allow it in the settings of claude, or set permissions to "workspace" or "full" in runtime.toml (now "settings")`
  expect(fleet.runs(id).map(({ outcome }) => outcome)).toEqual([{ code: 'denied', text, under: 'settings' }])
  expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
  expect(fleet.receipt(id)).toMatchObject({
    outcome: { code: 'denied', text },
    denied: { count: 1, calls: [{ tool: 'Bash', rule: RULE }] },
  })
  expect(fleet.fleet('show', id).stdout).toContain(text)
  expect(fleet.fleet('tasks').stdout).toContain(`change the permissions, then fleet retry ${id}`)

  // Another change of the configuration changes nothing for it.
  expect(fleet.fleet('config', 'set', 'max_attempts=5').code).toBe(0)
  await until(
    async () => fleet.log().some(({ event }) => event === 'config-reloaded'),
    () => 'the configuration is read',
  )
  await fleet.settled(fleet.create('On another lane', 'true'), 'closed')
  expect(fleet.starts(id)).toHaveLength(1)

  expect(fleet.fleet('config', 'set', 'permissions=full').code).toBe(0)
  await fleet.settled(id, 'closed')
  expect(fleet.text(id, 'attempts', '2', 'prompt.md')).toContain(text)
  expect(fleet.log().filter(({ event }) => event === 'denied-tasks-opened')).toMatchObject([{ tasks: [id] }])
})

test('a denied call does not matter to an agent that finds another way', async () => {
  const fleet = testFleet({ config: ['permissions=settings'] })
  const id = fleet.create('Goes round it', [init, denied, writes('x.txt'), claims(), result()])
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.receipt(id)).toMatchObject({ outcome: { code: 'done' }, denied: { count: 1 } })
})

test('`fleet retry` tries a denied task again under the same permissions', async () => {
  const fleet = testFleet({ config: ['permissions=settings'] })
  const id = fleet.create('Allowed by hand', [[init, denied, result('no')], healthy('x.txt')])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('retry', id).code).toBe(0)
  await fleet.settled(id, 'closed')
})

test('narrower permissions open no task that `full` denied', async () => {
  const fleet = testFleet({ config: ['permissions=full'] })
  const id = fleet.create('Refused by a hook', [[init, denied, result('no')], healthy('x.txt')])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('config', 'set', 'permissions=workspace').code).toBe(0)
  await until(
    async () => fleet.log().some(({ event }) => event === 'config-reloaded'),
    () => 'the configuration is read',
  )
  await fleet.settled(fleet.create('On another lane', 'true'), 'closed')
  expect(fleet.starts(id)).toHaveLength(1)
})
