import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHomeStore, openLedger, openLocalQueue } from '../../src/app.ts'
import { moment } from '../../src/domain/text/moment.ts'
import { Home } from '../../src/platform/files/home.ts'
import { findProgram } from '../../src/platform/process/program.ts'
import type { Claim } from '../../src/ports/queue.ts'
import { appendQuestion, homeQuestions } from '../../src/store/questions-file.ts'
import { FLEET, run, type TestHome, testHome } from '../support/cli.ts'
import { hasScript } from '../support/tools.ts'

const AT = Date.parse('2026-01-02T03:04:05Z')

/** A task that was claimed, asked these questions, and was parked, as by a supervisor. */
async function parked(home: TestHome, texts: readonly string[]): Promise<{ id: string; claim: Claim }> {
  const id = home.bd(['create', 'Choose', '--silent']).stdout.trim()
  await using queue = openLocalQueue(new Home(home.path))
  using ledger = openLedger(new Home(home.path))
  const [claim] = await queue.claim({ limit: 1, by: 'supervisor', leaseMs: 60_000 })
  if (claim === undefined) throw new Error('nothing was claimed')
  for (const text of texts) {
    ledger.ask({ task: id, run: 'run-1', askedAt: AT, text, options: ['sqlite', 'postgres'], suggestion: 'sqlite' })
    appendQuestion(artifacts(home, id), { text, options: ['sqlite', 'postgres'], suggestion: 'sqlite', at: AT })
  }
  await queue.settle(claim, { to: 'blocked', notes: `QUESTION: ${texts[0]}` })
  return { id, claim }
}

function artifacts(home: TestHome, id: string): string {
  return join(home.path, 'tasks', id, 'artifacts')
}

function status(home: TestHome, id: string): { status: string; assignee: string | undefined } {
  const task = JSON.parse(home.bd(['show', id, '--json']).stdout)[0]
  return { status: task.status, assignee: task.assignee }
}

test('`fleet questions` lists open questions, with the command that answers each', async () => {
  const home = testHome()
  expect(home.fleet(['questions'])).toEqual({ code: 0, stdout: 'No open questions.\n', stderr: '' })
  const { id } = await parked(home, ['Which \u001b[31mdatabase?\nIt matters.'])
  expect(home.fleet(['questions'])).toEqual({
    code: 0,
    stdout: `${id}  Choose  (asked ${moment(AT, Date.now())})\n  Which database?\n  It matters.\n  1) sqlite\n  2) postgres\n  suggested: sqlite\n  fleet answer ${id} <number or text>\n`,
    stderr: '',
  })
  expect(JSON.parse(home.fleet(['questions', '--json']).stdout)).toEqual([
    {
      task: id,
      title: 'Choose',
      asked_at: '2026-01-02T03:04:05Z',
      question: 'Which \u001b[31mdatabase?\nIt matters.',
      options: ['sqlite', 'postgres'],
      default: 'sqlite',
      run: 'run-1',
    },
  ])
})

test('a number on the command line answers with the option of that number; text from a pipe is taken as it is', async () => {
  const home = testHome()
  const { id } = await parked(home, ['Which database?', 'And the other?'])
  expect(home.fleet(['answer', id, '2'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2\) postgres\nAnswered\./),
  })
  expect(home.fleet(['answer', id, '-'], { input: '2\n' }).code).toBe(0)
  using ledger = openLedger(new Home(home.path))
  expect(ledger.questionsOf(id).map(({ answer }) => answer)).toEqual(['2', 'postgres'])
})

test('an answer is recorded, written below the question, and reopens the task', async () => {
  const home = testHome()
  const { id, claim } = await parked(home, ['Which database?'])
  expect(home.fleet(['answer', id.replace('fleet-', ''), 'Use', 'SQLite'])).toEqual({
    code: 0,
    stdout: `Answered. ${id} is open again.\n`,
    stderr: '',
  })
  expect(status(home, id)).toEqual({ status: 'open', assignee: undefined })
  const file = readFileSync(join(artifacts(home, id), 'Q&A.md'), 'utf8')
  expect(file).toMatch(
    /^## Q: \d{4}-\d\d-\d\d \d\d:\d\d\n[\s\S]*\n\n## A: \d{4}-\d\d-\d\d \d\d:\d\d\n<!-- fleet -->\nUse SQLite\n$/,
  )
  using ledger = openLedger(new Home(home.path))
  expect(ledger.questionsOf(id)).toMatchObject([
    { text: 'Which database?', answer: 'Use SQLite', answeredBy: 'tester' },
  ])
  await using queue = openLocalQueue(new Home(home.path))
  expect(await queue.settle(claim, { to: 'closed', reason: 'late' })).toBe(false)
  expect(home.fleet(['answer', id, 'again'])).toEqual({
    code: 5,
    stdout: '',
    stderr: `fleet: ${id} has no open question\n  it is open; fleet bd comment ${id} "<text>" leaves a comment\n`,
  })
})

test('a task with several questions waits for every answer', async () => {
  const home = testHome()
  const { id } = await parked(home, ['First?', 'Second?'])
  expect(home.fleet(['answer', id], { input: 'to the second\n' }).stdout).toBe(
    `Answered. ${id} still waits for 1 more answer: fleet questions\n`,
  )
  expect(status(home, id).status).toBe('blocked')
  expect(home.fleet(['answer', id, '-'], { input: 'to the first\n' }).stdout).toBe(`Answered. ${id} is open again.\n`)
})

const script = findProgram('script', process.env)

test.skipIf(!hasScript)('on a terminal, `fleet answer` says how to end the input', async () => {
  const home = testHome()
  const { id } = await parked(home, ['Which database?'])
  const command = `stty -echo; '${process.execPath}' '${FLEET}' answer ${id}`
  const env = { FLEET_HOME: home.path, TERM: 'xterm' }
  const { stdout } = run(script ?? '', ['-qec', command, '/dev/null'], { env, input: 'Use SQLite\n\u0004' })
  expect(stdout).toContain('Which database?')
  expect(stdout).toMatch(/type the answer, end with Ctrl-D on a line of its own\r\n/)
  expect(stdout).toContain(`Answered. ${id} is open again.`)
})

test('an answer does not reopen a task that was closed meanwhile', async () => {
  const home = testHome()
  const { id } = await parked(home, ['Which database?'])
  home.bd(['close', id])
  expect(home.fleet(['questions']).stdout).toBe('No open questions.\n')
  expect(home.fleet(['answer', id, 'x']).stdout).toBe(
    `Answered. ${id} is closed and stays so; its next attempt gets the answer.\n`,
  )
})

test('no command shows questions of a closed or deleted task', async () => {
  const home = testHome()
  const { id: closed } = await parked(home, ['Which database?'])
  const { id: deleted } = await parked(home, ['Which colour?'])
  const asked = () => {
    const { attention } = JSON.parse(home.fleet(['tasks', '--json']).stdout)
    return attention.flatMap(({ kind, task }: { kind: string; task: string }) => (kind === 'question' ? [task] : []))
  }
  expect(asked()).toEqual([closed, deleted])
  expect(home.bd(['close', closed]).code).toBe(0)
  expect(home.bd(['delete', deleted, '--force']).code).toBe(0)
  expect(asked()).toEqual([])
  expect(home.fleet(['questions']).stdout).toBe('No open questions.\n')
  expect(home.fleet(['show', closed]).stdout).not.toContain('fleet answer')
  expect(JSON.parse(home.fleet(['show', closed, '--json']).stdout).fleet.question).toBeNull()
})

test('`fleet answer` refuses unknown tasks, an empty answer, and agents', async () => {
  const home = testHome()
  const { id } = await parked(home, ['Which database?'])
  const inRun = { env: { FLEET_RUN_ID: 'run-1', FLEET_TASK_ID: id } }
  const codes = [
    home.fleet(['answer', 'fleet-nope', 'x']),
    home.fleet(['answer']),
    home.fleet(['answer', id], { input: ' \n' }),
    home.fleet(['answer', id, 'I answer myself'], inRun),
  ].map((ran) => ran.code)
  expect(codes).toEqual([4, 2, 2, 5])
  expect(status(home, id).status).toBe('blocked')
})

/** A parked task with an answer below its question, and the parts with which a supervisor takes it in. */
async function answeredByHand(home: TestHome, { whileAgentsRan }: { whileAgentsRan: boolean }) {
  const { id } = await parked(home, ['Which database?'])
  await using store = await openHomeStore(new Home(home.path))
  const [folder, noticed] = [artifacts(home, id), [] as string[]]
  const take = (): string | undefined => {
    const attempts = { artifacts: () => folder }
    const questions = homeQuestions({ ...store, attempts, noticed: ({ path }) => void noticed.push(path) })
    return questions.takeInAnswer(id)
  }
  expect([take(), store.ledger.openQuestions().length]).toEqual([undefined, 1])
  const file = join(folder, 'Q&A.md')
  if (whileAgentsRan) store.record.expose(Date.now() - 1000)
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n## A: 2026-01-02 10:00\nSQLite, please.\n`)
  expect(home.bd(['update', id, '--status', 'open', '--assignee', '']).code).toBe(0)
  const said = [take(), take()]
  return { id, file, said, noticed, known: store.ledger.questionsOf(id) }
}

const known = (home: TestHome, id: string) => {
  using ledger = openLedger(new Home(home.path))
  return ledger.questionsOf(id)
}

test('an answer written by hand counts once the task is open again', async () => {
  const { said, noticed, known } = await answeredByHand(testHome(), { whileAgentsRan: false })
  expect([said, noticed]).toEqual([[undefined, undefined], []])
  expect(known).toMatchObject([{ answer: 'SQLite, please.', answeredBy: 'hand' }])
})

test('an answer that was written while agents ran counts once a person accepts it', async () => {
  const home = testHome()
  const { id, said, noticed } = await answeredByHand(home, { whileAgentsRan: true })
  const why = `an answer was written into its Q&A.md while agents ran, one of which may have done it: fleet task ${id} accept | revert`
  expect([said, noticed]).toEqual([[why, why], [`tasks/${id}/artifacts/Q&A.md`]])
  expect(known(home, id)).toMatchObject([{ answer: null }])
  expect(home.fleet(['tasks']).stdout).toMatch(
    new RegExp(`Q&A\\.md was changed while agents ran\\s+fleet task ${id} accept \\| revert`),
  )
  home.bd(['update', id, '--status', 'blocked'])
  expect(home.fleet(['task', id, 'accept'])).toEqual({
    code: 0,
    stdout: `  SQLite, please.\nAccepted: that is the answer to the question of ${id}, which is open again.\n`,
    stderr: '',
  })
  expect(known(home, id)).toMatchObject([{ answer: 'SQLite, please.', answeredBy: 'tester' }])
  expect([status(home, id).status, home.fleet(['tasks']).stdout.includes('Q&A.md')]).toEqual(['open', false])
})

test('an answer that a person reverts is set aside, and the question stays open', async () => {
  const home = testHome()
  const { id, file } = await answeredByHand(home, { whileAgentsRan: true })
  expect(home.fleet(['task', id, 'revert'])).toEqual({
    code: 0,
    stdout: `  SQLite, please.\nReverted: the question of ${id} is open; the edited file is ${file}.refused.\n`,
    stderr: '',
  })
  expect(readFileSync(file, 'utf8')).not.toContain('SQLite, please.')
  expect(readFileSync(file, 'utf8')).toContain('Which database?')
  expect(readFileSync(`${file}.refused`, 'utf8')).toContain('SQLite, please.')
  expect(known(home, id)).toMatchObject([{ answer: null }])
  expect(home.fleet(['tasks']).stdout).not.toContain('Q&A.md')
})

test('an answer counts even if its file cannot be written', async () => {
  const home = testHome()
  const { id } = await parked(home, [])
  mkdirSync(join(artifacts(home, id), 'Q&A.md'), { recursive: true })
  using ledger = openLedger(new Home(home.path))
  ledger.ask({ task: id, run: 'run-1', askedAt: AT, text: 'Which?', options: [], suggestion: null })
  const ran = home.fleet(['answer', id, 'this'])
  expect([ran.code, ran.stdout, ran.stderr.startsWith('warning: ')]).toEqual([
    0,
    `Answered. ${id} is open again.\n`,
    true,
  ])
})
