import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Step } from '../../stub-agent/stub-as.ts'
import {
  claims,
  type Fleet,
  hang,
  healthy,
  init,
  result,
  testFleet,
  tool,
  until,
  writes,
} from '../../support/supervisor.ts'

const BEGUN = { touch: '$FLEET_ARTIFACT_DIR/begun' }

async function begun(fleet: Fleet, id: string): Promise<void> {
  await until(
    async () => fleet.exists(id, 'artifacts', 'begun'),
    () => `${id} has begun`,
  )
}

/** A tool that is open until the agent of the task has been told something. */
const working = (fleet: Fleet, ...steps: readonly Step[]) =>
  tool(BEGUN, { waitFor: join(fleet.home.project, 'go-$FLEET_TASK_ID') }, ...steps)

/** Tells it while its tool is open, and lets the tool end when the message lies ready. */
async function toldAtWork(fleet: Fleet, id: string, ...words: readonly string[]): Promise<void> {
  await begun(fleet, id)
  const said = `Told ${id}: its agent reads it before its next tool, or at the end of its turn. fleet show ${id} says when.\n`
  expect(fleet.fleet('tell', id, ...words)).toEqual({ code: 0, stdout: said, stderr: '' })
  await logged(fleet, 'message-handed-over', id)
  fleet.touch(`go-${id}`)
}

async function logged(fleet: Fleet, event: string, task: string): Promise<void> {
  await until(
    async () => fleet.log().some((line) => line['event'] === event && line['task'] === task),
    () => `${event} of ${task} is logged`,
  )
}

test('an agent at work reads a message before its next tool, or when it wants to end its turn, and fleet says when', async () => {
  const fleet = testFleet()
  const midway = fleet.create('Midway', [init, working(fleet), ...healthy('a.txt').slice(1)])
  const late = fleet.create('Late', [
    init,
    writes('b.txt'),
    claims(),
    working(fleet),
    { ...result(), blocked: [writes('as-told.txt')] },
  ])
  await fleet.start()
  await toldAtWork(fleet, midway, 'Use', 'the', 'new', 'name')
  await toldAtWork(fleet, late, 'Write as-told.txt, too')
  for (const id of [midway, late]) await fleet.settled(id, 'closed')

  expect(fleet.text(midway, 'attempts', '1', 'stdout.jsonl')).toContain(
    'A message for you from tester, through fleet, which runs you:\\n\\nUse the new name\\n',
  )
  expect(fleet.fleet('show', midway).stdout).toMatch(
    /^told: +Use the new name \(tester, [\d:]{8}\): delivered [\d:]{8}, before Write$/m,
  )
  expect(fleet.text(late, 'attempts', '1', 'stdout.jsonl')).toContain(
    'Stop hook feedback:\\nA message for you from tester',
  )
  expect(fleet.text(midway, 'log.jsonl')).toMatch(
    /"event":"told","messages":\[\d\],"by":"tester","text":"Use the new name"/,
  )
  expect(fleet.fleet('show', late).stdout).toMatch(/: delivered [\d:]{8}, at the end of its turn$/m)
  expect(fleet.receipt(late).evidence.files_changed).toContain('as-told.txt')
  expect([...fleet.runs(midway), ...fleet.runs(late)].map(({ outcome }) => outcome?.code)).toEqual(['done', 'done'])
  expect(JSON.parse(fleet.fleet('show', midway, '--json').stdout).fleet.messages).toMatchObject([
    { text: 'Use the new name', by: 'tester', how: 'hook', before: 'Write', run: fleet.runs(midway)[0]?.id },
  ])
})

test('a run that ended without having read a message goes on in its session, uncounted, and is told in its prompt', async () => {
  const fleet = testFleet()
  const deafen = { run: ['sh', '-c', 'rm "$FLEET_HOOKS"/*.json'] }
  const deaf = fleet.create('Deaf', [
    [init, working(fleet, deafen), ...healthy('a.txt').slice(1)],
    [{ stdin: '$FLEET_ARTIFACT_DIR/told' }, ...healthy('b.txt')],
  ])
  await fleet.start()
  await toldAtWork(fleet, deaf, 'Write b.txt, too')
  await fleet.settled(deaf, 'closed')
  const [first, second] = fleet.runs(deaf)
  expect(first?.outcome).toMatchObject({
    code: 'told',
    text: 'it ended its turn before it had read a message of tester',
  })
  expect(second).toMatchObject({ resumes: first?.id, outcome: { code: 'done' } })
  expect(fleet.ledger.stateOf(deaf).failures).toBe(0)
  const prompt = fleet.text(deaf, 'artifacts', 'told')
  expect(prompt).toContain('## Messages to you')
  expect(prompt).toContain('Write b.txt, too')
  expect(fleet.fleet('show', deaf).stdout).toContain(': in the prompt of attempt 2\n')
})

test('`fleet tell --now` interrupts the turn; the session goes on with the message, and with one that its model may not have seen', async () => {
  const fleet = testFleet()
  const wrong = fleet.create('Wrong', [
    [init, writes('a.txt'), working(fleet), tool(hang)],
    [{ stdin: '$FLEET_ARTIFACT_DIR/told' }, ...healthy('b.txt')],
  ])
  await fleet.start()
  await toldAtWork(fleet, wrong, 'This may be lost')
  await logged(fleet, 'message-delivered', wrong)
  const told = fleet.fleet('tell', wrong, '--now', '--json', 'Stop that, and write b.txt')
  expect(JSON.parse(told.stdout)).toMatchObject({
    task: wrong,
    reach: 'interrupted',
    answer: expect.stringContaining('interrupted for a message by tester'),
  })
  await fleet.settled(wrong, 'closed')
  expect(fleet.runs(wrong).map(({ outcome }) => outcome?.code)).toEqual(['told', 'done'])
  expect(fleet.runs(wrong)[1]?.resumes).toBe(fleet.runs(wrong)[0]?.id)
  expect(fleet.ledger.stateOf(wrong).failures).toBe(0)
  const prompt = fleet.text(wrong, 'artifacts', 'told')
  expect(prompt).toContain('Stop that, and write b.txt')
  expect(prompt).toContain('This may be lost')
  expect(fleet.ledger.messages.of(wrong).map(({ delivery }) => delivery?.how)).toEqual(['prompt', 'prompt'])
})

test('a message that was read before the end of a turn is not told again to the session that goes on', async () => {
  const fleet = testFleet()
  const id = fleet.create('Forgets to claim', [
    [init, working(fleet), writes('a.txt'), result()],
    [{ stdin: '$FLEET_ARTIFACT_DIR/told' }, ...healthy('b.txt')],
  ])
  await fleet.start()
  await toldAtWork(fleet, id, 'This is known')
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id).map(({ outcome }) => outcome?.code)).toEqual(['no-claim', 'done'])
  expect(fleet.runs(id)[1]?.resumes).toBe(fleet.runs(id)[0]?.id)
  expect(fleet.text(id, 'artifacts', 'told')).not.toContain('This is known')
})

test('a message survives the supervisor that was to hand it over, or had: it is read once', async () => {
  const fleet = testFleet()
  const id = fleet.create('Adopted', [init, working(fleet), ...healthy('a.txt').slice(1)])
  await fleet.start()
  await begun(fleet, id)
  expect(fleet.fleet('tell', id, 'First').code).toBe(0)
  await logged(fleet, 'message-handed-over', id)
  await fleet.end('SIGKILL')
  expect(fleet.fleet('tell', id, 'Second')).toMatchObject({
    code: 0,
    stderr: 'warning: no supervisor is running, which hands it over: fleet run start\n',
  })
  await fleet.start()
  await until(
    async () => fleet.log().filter(({ event }) => event === 'message-handed-over').length === 2,
    () => 'the second is handed over',
  )
  fleet.touch(`go-${id}`)
  await fleet.settled(id, 'closed')
  const printed = fleet.text(id, 'attempts', '1', 'stdout.jsonl')
  expect(['First', 'Second'].map((text) => printed.split(`:\\n\\n${text}\\n`).length - 1)).toEqual([1, 1])
  expect(fleet.ledger.messages.of(id).map(({ delivery }) => delivery)).toMatchObject([
    { how: 'hook', before: 'Write' },
    { how: 'hook', before: 'Write' },
  ])
})

test('a task that is not running reads a message in its next prompt; a closed one and a script are refused', async () => {
  const fleet = testFleet()
  const id = fleet.create('Later', [{ stdin: '$FLEET_ARTIFACT_DIR/told' }, ...healthy('a.txt')])
  const script = fleet.create('Script', 'true')
  expect(fleet.home.fleet(['tell', id, '-'], { input: 'Mind the gap\n' })).toMatchObject({
    code: 0,
    stdout: `Told ${id}: it is not running, and reads it in its next prompt.\n`,
  })
  expect(fleet.fleet('show', id).stdout).toMatch(/^told: +Mind the gap \(tester, [\d:]{8}\): waiting$/m)
  expect(fleet.fleet('tell', script, 'Hello')).toEqual({
    code: 5,
    stdout: '',
    stderr: `fleet: ${script} is a script, which reads no messages\n  fleet bd comment ${script} "<text>" leaves a comment for people\n`,
  })
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.text(id, 'artifacts', 'told')).toContain('Mind the gap')
  expect(fleet.fleet('show', id).stdout).toContain(': in the prompt of attempt 1\n')
  expect(fleet.fleet('tell', id, 'Too late')).toMatchObject({
    code: 5,
    stderr: `fleet: ${id} is closed: no agent would read it\n  fleet bd reopen ${id} opens it again, and its next attempt reads what you tell it then\n`,
  })
})

test('a message to a blocked task says what the task waits for, also with `--now`', async () => {
  const fleet = testFleet()
  const asks = fleet.create('Asks', [init, { fleet: ['ask', 'Which?'] }, result()])
  const killed = fleet.create('Killed', [init, tool(BEGUN), tool(hang)])
  await fleet.start()
  await fleet.settled(asks, 'blocked')
  await begun(fleet, killed)
  expect(fleet.fleet('kill', killed).code).toBe(0)
  await fleet.settled(killed, 'blocked')
  const idle = 'it is not running, and reads it in its next prompt.'
  expect([asks, killed].map((id) => fleet.fleet('tell', id, '--now', 'Mind the gap').stdout)).toEqual([
    `Told ${asks}: ${idle} It waits for an answer: fleet answer ${asks} "..."\n`,
    `Told ${killed}: ${idle} It is blocked: fleet resume ${killed}\n`,
  ])
})
