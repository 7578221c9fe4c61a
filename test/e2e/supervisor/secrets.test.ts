import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { hang, init, result, testFleet, tool, until } from '../../support/supervisor.ts'
import { tablesWith } from '../../support/tables.ts'

const FIRST = 'first-abcd1234efgh5678'
const SECOND = 'second-8765hgfe4321dcba'

/** A line of claude's output that contains the value of the agent's variable. */
const says = { emit: message({ type: 'text', text: 'the key is $MY_GATEWAY_KEY' }) }
const opens = {
  emit: message({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'curl $MY_GATEWAY_KEY' } }),
}

function message(content: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ type: 'assistant', message: { id: content['id'] ?? 'm1', content: [content] } })
}

test("the values of a coder's variables appear only in files that the agent itself wrote", async () => {
  const given = (value: string) => `coders.claude.env={MY_GATEWAY_KEY="${value}"}`
  const fleet = testFleet({ config: [given(FIRST), 'pid_namespace=off', 'max_attempts=1'] })
  const leaves = { run: ['sh', '-c', 'setsid sh -c "sleep 600; : $MY_GATEWAY_KEY" >/dev/null 2>&1 &'] }
  const asks = tool({ fleet: ['ask', 'Is it $MY_GATEWAY_KEY?', '--option', '$MY_GATEWAY_KEY', '--option', 'no'] })
  const waits = fleet.create('Waits in a tool', [init, says, opens, hang])
  const leaver = fleet.create('Leaves something', [
    init,
    leaves,
    tool({ fleet: ['done', '$MY_GATEWAY_KEY'] }),
    result(),
  ])
  const asker = fleet.create('Asks', [init, asks, result()])
  await fleet.start()
  await fleet.ended(leaver)
  await fleet.settled(asker, 'blocked')
  const open = () => fleet.ledger.runsOf(waits)[0]?.figures.openTool
  await until(
    async () => open() !== null && open() !== undefined,
    () => 'its tool is open',
  )
  expect(fleet.fleet('tasks', '--json').stdout).toContain('"Bash: curl [redacted]"')
  expect(fleet.text(waits, 'events.jsonl')).toContain('the key is [redacted]')
  expect(fleet.ledger.openQuestions()).toMatchObject([{ text: 'Is it [redacted]?', options: ['[redacted]', 'no'] }])
  await until(
    async () => fleet.receipt(leaver).leftovers.length > 0,
    () => 'what it left is on its receipt',
  )
  expect(fleet.receipt(leaver)).toMatchObject({ claim: { summary: '[redacted]' } })

  expect(fleet.fleet('config', 'set', given(SECOND))).toMatchObject({ code: 0 })
  await until(
    async () => fleet.log().some(({ event }) => event === 'config-reloaded'),
    () => 'the configuration is read again',
  )
  const later = fleet.create('Says the other', [init, says, result()])
  await fleet.settled(later, 'blocked')
  expect(fleet.fleet('kill', waits)).toMatchObject({ code: 0 })

  const told = filesWith(fleet.home.path, [FIRST, SECOND]).filter((path) => !OF_THE_AGENT.test(path))
  expect(told.filter((path) => !/^fleet\.db(?:-wal)?$/.test(path))).toEqual(['runtime.toml'])
  // The store keeps the runtime.toml that the person left.
  expect(tablesWith(join(fleet.home.path, 'fleet.db'), [FIRST, SECOND])).toEqual(['accepted_file'])
})

/** The agent's own output and letters are kept unchanged. */
const OF_THE_AGENT = /^tasks\/[^/]+\/attempts\/\d+\/(?:stdout\.jsonl|inbox\/)/

function filesWith(root: string, values: readonly string[]): string[] {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return files
    .map((each) => join(each.parentPath, each.name))
    .filter((path) => values.some((value) => readFileSync(path, 'latin1').includes(value)))
    .map((path) => relative(root, path))
    .sort()
}
