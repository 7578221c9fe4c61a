import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openRecord } from '../../../src/app.ts'
import { Home } from '../../../src/platform/files/home.ts'
import { claims, hang, healthy, init, result, testFleet, tool, until } from '../../support/supervisor.ts'

const asks = (question: string, ...flags: readonly string[]) => tool({ fleet: ['ask', question, ...flags] })

test('a question parks its task and frees the slot; the answer resumes the session', async () => {
  const fleet = testFleet({ config: ['max_concurrent=1'] })
  const asker = fleet.create(
    'Asks',
    [
      [init, asks('Tabs or spaces?', '--option', 'tabs', '--option', 'spaces', '--default', 'tabs'), result()],
      healthy('x.txt'),
    ],
    '--priority',
    '0',
  )
  const other = fleet.create('Goes on meanwhile', healthy('y.txt'))
  await fleet.start()
  expect(await fleet.settled(asker, 'blocked')).toMatchObject({ notes: 'QUESTION: Tabs or spaces?', assignee: '' })
  await fleet.settled(other, 'closed')
  expect(fleet.text(asker, 'artifacts', 'Q&A.md')).toMatch(
    /^## Q: \d{4}-\d\d-\d\d \d\d:\d\d\n<!-- fleet -->\nTabs or spaces\?\n- tabs\n- spaces\nSuggested: tabs\n$/,
  )
  expect(fleet.receipt(asker)).toMatchObject({
    question: 'Tabs or spaces?',
    claim: null,
    outcome: { code: 'question' },
  })
  expect(JSON.parse(fleet.fleet('questions', '--json').stdout)).toEqual([
    expect.objectContaining({ task: asker, question: 'Tabs or spaces?', options: ['tabs', 'spaces'], default: 'tabs' }),
  ])

  expect(fleet.fleet('answer', asker, 'Spaces, two').stdout).toBe(`Answered. ${asker} is open again.\n`)
  await fleet.settled(asker, 'closed')
  const [first] = fleet.runs(asker)
  expect(fleet.starts(asker)[1]?.argv).toContain(`--resume=${first?.id}`)
  expect(fleet.text(asker, 'attempts', '2', 'prompt.md')).toContain('Q: Tabs or spaces?\nA: Spaces, two')
  expect(fleet.ledger.stateOf(asker)).toMatchObject({ attempts: 2, failures: 0 })
  expect(fleet.fleet('questions').stdout).toBe('No open questions.\n')
})

test.each([
  ['the supervisor is stopped', []],
  ['its context is full', ['context_pressure_threshold_pct=20']],
])('a question is not lost when %s before the agent has ended', async (_, config) => {
  const fleet = testFleet({ config: [...config, 'timeouts.after_result=1m'] })
  const full = config.length > 0
  const fills = { claude: 'text', text: 'Now I know', usage: { input: 100_000 } }
  const id = fleet.create('Asks and stays', [
    [
      init,
      asks('Tabs or spaces?'),
      { touch: '$FLEET_ARTIFACT_DIR/asked' },
      ...(full ? [{ waitFor: '../go' }, fills] : []),
      hang,
    ],
    healthy('x.txt'),
  ])
  await fleet.start()
  await until(
    async () => fleet.exists(id, 'artifacts', 'asked'),
    () => 'it has asked',
  )
  if (!full) await fleet.end('SIGTERM')
  else fleet.touch('go')
  expect(await fleet.settled(id, 'blocked')).toMatchObject({ notes: 'QUESTION: Tabs or spaces?', assignee: '' })
  const question = { code: 'question', text: 'Tabs or spaces?', ...(full && { fresh: true }) }
  expect(fleet.runs(id).map(({ outcome }) => outcome)).toEqual([question])
  expect(fleet.ledger.stateOf(id).session).toBe(full ? null : fleet.runs(id)[0]?.id)
  expect(fleet.text(id, 'artifacts', 'Q&A.md')).toContain('Tabs or spaces?')
  expect(JSON.parse(fleet.fleet('questions', '--json').stdout)).toMatchObject([{ question: 'Tabs or spaces?' }])
})

test('questions and answers also work through Q&A.md by hand, and both ways can be mixed', async () => {
  const fleet = testFleet()
  const byFile = [
    init,
    tool({ append: '$FLEET_ARTIFACT_DIR/Q&A.md', text: '\n## Q: 2026-01-01 10:00\nWhich port, and why?\n' }),
    tool({ fleet: ['bd', 'update', '$FLEET_TASK_ID', '--status', 'blocked', '--notes', 'QUESTION: Which port?'] }),
    result(),
  ]
  const both = fleet.create('Asks in both ways', [byFile, [init, asks('And which host?'), result()], healthy('x.txt')])
  await fleet.start()
  await fleet.settled(both, 'blocked')
  expect(fleet.text(both, 'artifacts', 'Q&A.md')).toBe('\n## Q: 2026-01-01 10:00\nWhich port, and why?\n')
  expect(fleet.fleet('questions').stdout).toContain('Which port?')

  fleet.fleet('answer', both, '5432')
  await fleet.ended(both, 2)
  expect(await fleet.settled(both, 'blocked')).toMatchObject({
    notes: expect.stringContaining('QUESTION: And which host?'),
  })
  const file = join(fleet.home.path, 'tasks', both, 'artifacts', 'Q&A.md')
  using record = openRecord(new Home(fleet.home.path), { readOnly: true })
  await until(
    async () => !record.isOpen(),
    () => 'no agent can write there any more',
  )
  // File systems stamp a change with the time of the last tick, which may lie before that moment.
  await delay(50)
  appendFileSync(file, '\n## A: 2026-01-01 11:00\nlocalhost\n')
  expect(fleet.fleet('bd', 'update', both, '--status', 'open', '--assignee', '')).toMatchObject({ code: 0 })
  await fleet.settled(both, 'closed')
  expect(fleet.text(both, 'attempts', '2', 'prompt.md')).toContain('Q: Which port?\nA: 5432')
  expect(fleet.text(both, 'attempts', '3', 'prompt.md')).toContain('Q: And which host?\nA: localhost')
  expect(fleet.starts(both)[2]?.argv).toContain(`--resume=${fleet.runs(both)[0]?.id}`)
  expect(fleet.ledger.openQuestions()).toEqual([])
})

test('a task reopened without an answer tells its agent so, and its question does not hide the later outcome', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const id = fleet.create('Asks', [
    [init, asks('Tabs or spaces?'), result()],
    [init, { waitFor: '../go' }, result()],
  ])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('retry', id)).toMatchObject({ code: 5, stderr: expect.stringContaining('waits for an answer') })
  expect(fleet.fleet('bd', 'update', id, '--status', 'open', '--assignee', '')).toMatchObject({ code: 0 })
  await fleet.started(id, 2)
  const prompt = fleet.text(id, 'attempts', '2', 'prompt.md')
  expect(prompt).toContain('## Not answered\nQ: Tabs or spaces?\nNobody has answered this.')
  expect(prompt).not.toContain('Why the last attempt ended')
  expect(fleet.fleet('show', id).stdout).not.toContain('question:')

  fleet.touch('go')
  await fleet.ended(id, 2)
  await fleet.settled(id, 'blocked')
  const shown = fleet.fleet('show', id).stdout
  expect(shown).toContain('not running:  its status is blocked: 1 attempt failed')
  expect(shown).not.toContain('question:')
  expect(fleet.fleet('questions').stdout).toBe('No open questions.\n')
  expect(JSON.parse(fleet.fleet('tasks', '--json').stdout).attention).toEqual([
    expect.objectContaining({ kind: 'blocked', task: id, reason: expect.stringContaining('1 attempt failed') }),
  ])
  expect(fleet.fleet('retry', id)).toMatchObject({ code: 0 })
  await fleet.ended(id, 3)
  const again = fleet.text(id, 'attempts', '3', 'prompt.md')
  expect(again).toContain('Why the last attempt ended\nended without saying that it is done')
  expect(again).toContain('Nobody has answered this.')
})

test('an agent that keeps running after a question is stopped; one that then claims to be done is done', async () => {
  const fleet = testFleet({ config: ['timeouts.idle=20s'] })
  const lingers = fleet.create('Asks and lingers', [init, asks('Well?'), { ignore: ['SIGTERM'] }, hang])
  const works = fleet.create('Asks and works on', [
    init,
    asks('Well?'),
    tool({ child: { do: [{ repeat: 300, do: [{ sleep: 100 }] }], wait: true } }),
  ])
  const settles = fleet.create('Finds the answer itself', [init, asks('Well?'), ...healthy('x.txt').slice(1)])
  await fleet.start()
  for (const id of [lingers, works]) {
    expect((await fleet.settled(id, 'blocked')).notes).toBe('QUESTION: Well?')
    expect(fleet.runs(id).map((run) => run.outcome?.code)).toEqual(['question'])
  }
  await fleet.settled(settles, 'closed')
  expect(fleet.ledger.questionsOf(settles)).toMatchObject([{ text: 'Well?', answer: null }])
})

test('an answer opens a task for the question it waits for, whatever earlier attempts asked in passing', async () => {
  const fleet = testFleet()
  const id = fleet.create('Asks twice', [
    [init, asks('Tabs or spaces?'), claims(), result()],
    [init, asks('Which database?'), result()],
    healthy('x.txt'),
  ])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(JSON.parse(fleet.fleet('questions', '--json').stdout)).toMatchObject([{ question: 'Which database?' }])
  expect(fleet.fleet('answer', id, 'SQLite').stdout).toBe(`Answered. ${id} is open again.\n`)
  await fleet.settled(id, 'closed')
})

test('an answer that no agent waits for leaves a blocked task as it is', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const id = fleet.create('Asks and claims', [init, asks('Tabs or spaces?'), claims(), result()])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('answer', id, 'tabs')).toMatchObject({ code: 0 })
  expect(await fleet.task(id)).toMatchObject({ status: 'blocked' })
  expect(fleet.starts(id)).toHaveLength(1)
})
