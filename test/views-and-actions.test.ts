import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { answerTask } from '../src/actions/answer.ts'
import { changeSettings } from '../src/actions/change-settings.ts'
import { killTasks } from '../src/actions/kill.ts'
import { pauseClaiming, pauseTask } from '../src/actions/pause.ts'
import { resumeClaiming, resumeTask } from '../src/actions/resume.ts'
import { retryTasks } from '../src/actions/retry.ts'
import { drainSupervisor } from '../src/actions/stop-supervisor.ts'
import { openHomeStore, openLocalQueue } from '../src/app.ts'
import { withSettings } from '../src/domain/task/settings.ts'
import { AppError } from '../src/errors.ts'
import { makeHome } from '../src/home/make.ts'
import { Home } from '../src/platform/files/home.ts'
import { snapshotJson } from '../src/views/json/snapshot.ts'
import { taskJson } from '../src/views/json/task.ts'
import { openQuestions } from '../src/views/questions.ts'
import { readyTasks } from '../src/views/ready.ts'
import { snapshot } from '../src/views/snapshot.ts'
import { supervisorStatus } from '../src/views/supervisor.ts'
import { taskView, taskViewWithIssue } from '../src/views/task.ts'
import { whyNotRunning } from '../src/views/why-not-running.ts'

/** As a board or an MCP server would use them: nothing here imports src/cli. */

const by = 'anna'

async function newHome(): Promise<Home> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-views-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = new Home(join(folder, 'home'))
  await makeHome(home, { repair: false, queue: 'local', env: process.env })
  return home
}

async function addTask(home: Home, title: string): Promise<string> {
  await using queue = openLocalQueue(home)
  const { id } = await queue.create({ title, metadata: withSettings({}, { cwd: '/project', coder: 'shell' }) }, by)
  return id
}

async function statusOf(home: Home, id: string): Promise<string | undefined> {
  await using queue = openLocalQueue(home, { readOnly: true })
  return (await queue.get(id))?.status
}

/** A task that was claimed and parked with questions, as a supervisor does it. */
async function parkedTask(home: Home, questions: readonly string[]): Promise<string> {
  const id = await addTask(home, 'Choose')
  await using store = await openHomeStore(home)
  const [claim] = await store.queue.claim({ limit: 1, by: 'supervisor', leaseMs: 60_000 })
  if (claim === undefined) throw new Error('nothing was claimed')
  for (const text of questions) {
    store.ledger.ask({ task: id, run: 'run-1', askedAt: Date.now(), text, options: ['sqlite'], suggestion: null })
  }
  await store.queue.settle(claim, { to: 'blocked' })
  return id
}

test('the snapshot is a value, and its document follows from it', async () => {
  const home = await newHome()
  const id = await addTask(home, 'First')
  const seen = await snapshot(home, { limit: 10, all: true })
  const given = { cwd: '/project', coder: 'shell' }
  expect(seen).toEqual({
    now: expect.any(Number),
    supervisor: undefined,
    attention: { rows: [{ kind: 'supervisor', running: 0 }], more: false },
    running: { rows: [], more: false },
    rest: {
      queued: {
        rows: [{ id, title: 'First', priority: 2, given, assignment: expect.anything() }],
        more: false,
      },
      waiting: { rows: [], more: false },
      ended: { rows: [], more: false },
    },
  })
  expect(snapshotJson(seen)).toMatchObject({ schema_version: 1, supervisor: null, queued: [{ id, coder: 'shell' }] })
  expect(await readyTasks(home, { limit: 0 })).toEqual({
    rows: [{ id, title: 'First', priority: 2, ...given }],
    more: false,
  })
})

test('a task shows its settings, its attempts, and why it is not running', async () => {
  const home = await newHome()
  const id = await addTask(home, 'First')
  const view = await taskView(home, id.replace('fleet-', ''))
  expect(view).toMatchObject({
    task: { id, title: 'First' },
    cwd: { value: '/project', given: true },
    configurationProblem: undefined,
    running: undefined,
    attempts: [],
    notes: [],
    waiting: { kind: 'no-supervisor' },
  })
  expect(whyNotRunning(view.waiting, view.now)).toBe('no supervisor is running')
  expect(taskJson(await taskViewWithIssue(home, id))).toMatchObject({
    schema_version: 1,
    data: [{ id, title: 'First', dependency_count: 0 }],
    fleet: { coder: 'shell', defaults: ['model'], waiting: { kind: 'no-supervisor' }, attempts: [] },
  })
})

test('an action says per task what happened, and a refusal is a value', async () => {
  const home = await newHome()
  const acting = { home, by }
  const [first, second] = [await addTask(home, 'First'), await addTask(home, 'Second')]
  expect(await pauseTask(acting, first)).toEqual([{ kind: 'changed', task: first }])
  expect(await pauseTask(acting, first)).toEqual([{ kind: 'unchanged', task: first, why: 'is blocked already' }])
  expect(await statusOf(home, first)).toBe('blocked')
  expect(await resumeTask(acting, first)).toEqual([{ kind: 'changed', task: first }])
  {
    await using queue = openLocalQueue(home)
    await queue.amend(second, { change: { status: 'closed' } }, by)
  }
  expect(await retryTasks(acting, [second, first])).toEqual([
    { kind: 'refused', task: second, why: 'is closed', hint: `fleet bd reopen ${second} opens it again` },
    { kind: 'changed', task: first },
  ])
  expect([await statusOf(home, first), await statusOf(home, second)]).toEqual(['open', 'closed'])
})

test('a wrong id is thrown before any task is touched', async () => {
  const home = await newHome()
  const id = await addTask(home, 'First')
  await expect(retryTasks({ home, by }, [id, 'nothing-x'])).rejects.toThrow(AppError)
  const program = { node: process.execPath, fleet: 'fleet', version: '0' }
  expect(await killTasks({ home, by, env: {}, program }, [id])).toEqual({
    ended: [],
    refused: [{ task: id, why: 'is not running', hint: `fleet pause ${id} keeps it from being started` }],
    failed: [],
  })
})

test('a pause of claiming is seen, said once, and ended', async () => {
  const home = await newHome()
  expect(pauseClaiming({ home, by })).toEqual({ kind: 'paused', agents: 0 })
  const at = expect.any(Number)
  expect(pauseClaiming({ home, by: 'ben' })).toEqual({ kind: 'already-paused', by, at })
  expect(supervisorStatus(home)).toEqual({ holder: undefined, agents: 0, paused: { by, at } })
  expect(await resumeClaiming({ home, by })).toEqual({ paused: true, lanes: [], models: [] })
  expect(await resumeClaiming({ home, by })).toEqual({ paused: false, lanes: [], models: [] })
  expect(supervisorStatus(home)).toEqual({ holder: undefined, agents: 0, paused: undefined })
})

test('an answer opens the task when its last question has one', async () => {
  const home = await newHome()
  const acting = { home, by }
  const id = await parkedTask(home, ['First?', 'Second?'])
  expect((await openQuestions(home)).map(({ question, title }) => [question.text, title])).toEqual([
    ['First?', 'Choose'],
    ['Second?', 'Choose'],
  ])
  expect(await answerTask(acting, { task: id, text: 'sqlite' })).toEqual({ kind: 'more-questions', task: id, open: 1 })
  expect(await answerTask(acting, { task: id, text: 'sqlite' })).toEqual({ kind: 'reopened', task: id })
  expect([await statusOf(home, id), await openQuestions(home)]).toEqual(['open', []])
  await expect(answerTask(acting, { task: id, text: 'more' })).rejects.toMatchObject({ code: 'conflict' })
})

test('settings change all at once or not at all, and without a supervisor nothing drains', async () => {
  const home = await newHome()
  const { changes } = await changeSettings({ home, settings: ['max_concurrent=5'] })
  expect(changes).toMatchObject([{ key: ['max_concurrent'], value: 5 }])
  await expect(changeSettings({ home, settings: ['max_concurrent=6', 'nonsense=1'] })).rejects.toThrow(AppError)
  await expect(drainSupervisor({ home, by })).rejects.toMatchObject({ code: 'not-running' })
})
