import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openRecord } from '../../src/app.ts'
import { Home } from '../../src/platform/files/home.ts'
import { type Step, stubAs, stubBlock } from '../stub-agent/stub-as.ts'
import { temporaryFolder, testHome } from '../support/cli.ts'
import { eventually, type FleetHome, withSupervisor } from '../support/home-run.ts'
import { lane } from '../support/lane.ts'
import { inLedger, started } from '../support/ledger.ts'
import { describeWithPostgres, type TestServer } from '../support/postgres.ts'
import { healthy, init, result, tool } from '../support/supervisor.ts'

/** Two homes stand in for two machines: they share only the queue and the disk. */
async function twoMachines(server: TestServer, config: readonly string[] = []) {
  const url = server.newUrl()
  const stub = stubAs('claude')
  const machine = async (name: string) => {
    const home = await withSupervisor(testHome(temporaryFolder(), ['--queue', url]), [`hosts.name=${name}`, ...config])
    const supervisor = await home.supervise({ env: { PATH: stub.path } })
    onTestFinished(async () => {
      supervisor.kill('SIGTERM')
      await supervisor.exited
    })
    return { ...home, supervisor }
  }
  const [a, b] = [await machine('east'), await machine('west')]
  const schema = new URL(url).searchParams.get('schema')
  const there = async () => (await server.query(`select name from ${schema}.host`)).length === 2
  await eventually(there, 'both machines are online')
  const paused = new Set<string>()
  return {
    a,
    b,
    stub,
    /** From now on only this machine claims. */
    only(one: FleetHome): void {
      for (const { path, fleet } of [a, b]) {
        const pauses = path !== one.path
        if (pauses === paused.has(path)) continue
        expect(fleet([pauses ? 'pause' : 'resume']).code).toBe(0)
        if (pauses) paused.add(path)
        else paused.delete(path)
      }
    },
    create(title: string, steps: readonly (readonly Step[])[], ...flags: readonly string[]): string {
      const words = ['create', title, '--silent', '-d', stubBlock(steps), '--coder', 'claude', ...flags]
      const made = a.bd(words)
      expect(made.stderr).toBe('')
      return made.stdout.trim()
    },
  }
}

const fails = (): readonly Step[] => [init, { exit: 1 }]
const asks = (question: string): readonly Step[] => [init, tool({ fleet: ['ask', question] }), result()]
const fileOf = (home: FleetHome, id: string, ...path: readonly string[]): string => {
  const file = join(home.path, 'tasks', id, ...path)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
const settledRuns = (home: FleetHome, id: string, times: number) =>
  eventually(() => home.runsOf(id).filter(({ phase }) => phase === 'settled').length >= times, `${id} ended there`)

describeWithPostgres('a task that moves from one machine to another', (server) => {
  test("counts failures on both, and its second prompt says why the first attempt ended and where that attempt's files are", async () => {
    const { a, b, only, create } = await twoMachines(server, ['max_attempts=2'])
    only(a)
    const id = create('Fails everywhere', [fails(), fails()])
    await settledRuns(a, id, 1)
    only(b)
    await b.becomes(id, 'blocked')
    expect(a.runsOf(id)).toMatchObject([{ attempt: 1, outcome: { code: 'lost' } }])
    expect(b.runsOf(id)).toMatchObject([{ attempt: 2, resumes: null, outcome: { code: 'lost' } }])
    const why = a.stateOf(id).lastOutcome?.text ?? 'none'
    expect((await b.task(id))?.notes).toMatch(/^2 attempts failed; last: /)
    const prompt = fileOf(b, id, 'attempts', '2', 'prompt.md')
    expect(prompt).toContain(`## Why the last attempt ended\n${why}`)
    expect(prompt).toContain(`This is attempt 2; the previous one ran on another machine, east`)
    // The machine of the first attempt knows the outcome of the second.
    expect(a.fleet(['show', id]).stdout).toMatch(/not running: {2}its status is blocked: 2 attempts failed; last: /)
    expect(a.fleet(['show', id]).stdout).toMatch(/^attempts:\n {2}1 {2}lost {2}.*\n {2}1 on other machines$/m)
    expect(JSON.parse(a.fleet(['tasks', '--json']).stdout).attention).toContainEqual({
      kind: 'blocked',
      task: id,
      title: 'Fails everywhere',
      reason: expect.stringMatching(/^2 attempts failed/),
      way: 'retry',
    })
    // `fleet retry` on one machine gives a fresh set of attempts on both.
    only(a)
    expect(b.fleet(['pause', id]).stdout).toContain('is blocked already')
    expect(b.fleet(['retry', id]).stdout).toBe(`${id} is open, with a fresh set of attempts\n`)
    await settledRuns(a, id, 2)
    expect(a.runsOf(id).at(-1)).toMatchObject({ attempt: 3 })
    expect(a.stateOf(id)).toMatchObject({ attempts: 3, failures: 1 })
  })

  test('can be asked about on one machine and answered on the other, and the next attempt gets the answer anywhere', async () => {
    const { a, b, stub, only, create } = await twoMachines(server)
    only(a)
    const id = create('Asks twice', [asks('Tabs or spaces?'), asks('How many?'), healthy('done.txt')])
    await a.becomes(id, 'blocked')
    expect(JSON.parse(b.fleet(['questions', '--json']).stdout)).toMatchObject([
      { task: id, title: 'Asks twice', question: 'Tabs or spaces?' },
    ])
    expect(b.fleet(['show', id]).stdout).toContain('question:     Tabs or spaces?')
    expect(b.fleet(['resume', id])).toMatchObject({ code: 5, stderr: expect.stringContaining('waits for an answer') })
    only(b)
    expect(b.fleet(['answer', id, 'Spaces']).stdout).toBe(`Answered. ${id} is open again.\n`)
    expect(a.fleet(['questions']).stdout).not.toContain('Tabs or spaces?')

    await settledRuns(b, id, 1)
    await b.becomes(id, 'blocked')
    expect(fileOf(b, id, 'attempts', '2', 'prompt.md')).toContain('Q: Tabs or spaces?\nA: Spaces')
    expect(fileOf(b, id, 'artifacts', 'Q&A.md')).toMatch(
      /Tabs or spaces\?[\s\S]*## A: [\s\S]*Spaces[\s\S]*How many\?\n$/,
    )
    // The session is on the other machine, so it is not resumed.
    expect(stub.starts()[1]?.argv.filter((word) => word.startsWith('--resume'))).toEqual([])

    // Answered on the other machine; the machine that asked resumes its session.
    expect(a.fleet(['answer', id, 'Two']).stdout).toBe(`Answered. ${id} is open again.\n`)
    await b.becomes(id, 'closed')
    await settledRuns(b, id, 2)
    expect(stub.starts()[2]?.argv).toContain(`--resume=${b.runsOf(id)[0]?.id}`)
    expect(fileOf(b, id, 'attempts', '3', 'prompt.md')).toContain('Q: How many?\nA: Two')
    expect(fileOf(b, id, 'artifacts', 'Q&A.md')).toMatch(/How many\?\n\n## A: [\s\S]*Two\n$/)
    expect(a.runsOf(id)).toHaveLength(1)
  })

  test('can be answered by hand in a file, and all machines see the answer once fleet has read it', async () => {
    const { a, b, only, create } = await twoMachines(server)
    only(a)
    const id = create('Asks', [asks('Which port?'), [init, { waitFor: 'go' }, ...healthy('done.txt').slice(1)]])
    await a.becomes(id, 'blocked')
    await settledRuns(a, id, 1)
    using record = openRecord(new Home(a.path), { readOnly: true })
    await eventually(() => !record.isOpen(), 'no agent can write there any more')
    // File systems stamp a change with the time of the last tick, which may lie before that moment.
    await delay(50)
    appendFileSync(join(a.path, 'tasks', id, 'artifacts', 'Q&A.md'), '\n## A: 2026-01-01 10:00\n8080\n')
    expect(b.fleet(['questions']).stdout).toContain('Which port?')
    expect(b.bd(['update', id, '--status', 'open', '--assignee', '']).code).toBe(0)
    await eventually(() => fileOf(a, id, 'attempts', '2', 'prompt.md').includes('A: 8080'), 'it has the answer')
    expect(b.fleet(['questions']).stdout).toBe('No open questions.\n')
    a.touch('go')
    await a.becomes(id, 'closed')
  })

  test("has in its prompt what its blocker did on the other machine, and where the blocker's files are", async () => {
    const { a, b, only, create } = await twoMachines(server)
    only(a)
    const blocker = create('First', [healthy('first.txt')])
    await a.becomes(blocker, 'closed')
    only(b)
    const after = create('Second', [healthy('second.txt')], '--deps', blocker)
    await b.becomes(after, 'closed')
    expect(fileOf(b, after, 'attempts', '1', 'prompt.md')).toContain(
      `- ${blocker}: First\n> all done\n  ran on another machine, east: its files are there\n`,
    )
  })
})

describeWithPostgres('a task that runs on another machine', (server) => {
  test('is shown as running there, and `fleet kill` from here returns when none of its processes is left', async () => {
    const { a, b, only } = await twoMachines(server)
    only(a)
    const id = await a.script('touch begun; sleep 600 & exec sleep 600', { title: 'Sleeps' })
    await eventually(() => a.exists('begun'), 'it runs')
    expect(b.fleet(['show', id]).stdout).toMatch(
      new RegExp(`^running: {6}on east, claimed as fleet-[0-9a-z]{6}@${hostname()}$`, 'm'),
    )
    expect(JSON.parse(b.fleet(['tasks', '--json']).stdout)).toMatchObject({
      running: [],
      elsewhere: [{ id, title: 'Sleeps', machine: 'east' }],
    })
    expect(b.fleet(['tasks']).stdout).toContain(`Running on other machines\nID\tMachine\tTitle\n${id}\teast\tSleeps`)
    expect(b.fleet(['retry', id])).toMatchObject({ code: 5, stderr: expect.stringContaining('is running') })

    const killed = b.fleet(['kill', id])
    expect([killed.code, killed.stdout]).toEqual([0, `${id} on east: stopped by tester (SIGTERM)\n`])
    expect(a.agents()).toEqual([])
    expect(await a.task(id)).toMatchObject({ status: 'blocked', notes: 'stopped by tester' })
    expect(b.fleet(['kill', id])).toMatchObject({ code: 5, stderr: expect.stringContaining('is blocked') })
  })

  test('is paused and resumed from here', async () => {
    const { a, b, only } = await twoMachines(server)
    only(a)
    const id = await a.script('echo begun >>starts; [ -e go ] || exec sleep 600')
    await eventually(() => a.lines('starts').length === 1, 'it runs')
    expect(b.fleet(['pause', id]).stdout).toBe(`${id} on east: paused by tester (SIGTERM)\n`)
    expect(await b.task(id)).toMatchObject({ status: 'blocked', notes: 'paused by tester' })
    a.touch('go')
    expect(b.fleet(['resume', id]).stdout).toBe(`${id} is open again\n`)
    await a.becomes(id, 'closed')
    expect(a.lines('starts')).toEqual(['begun', 'begun'])
    // Other machines know how many attempts there were.
    expect(b.fleet(['show', id]).stdout).toMatch(/^attempts:\n {2}2 on other machines$/m)
  })

  test('is told something from here, and its agent reads it there', async () => {
    const { a, b, only, create } = await twoMachines(server)
    only(a)
    const working = tool({ touch: '$FLEET_ARTIFACT_DIR/begun' }, { waitFor: '$FLEET_ARTIFACT_DIR/go' })
    const id = create('Told from afar', [[init, working, ...healthy('a.txt').slice(1)]])
    const there = (...path: readonly string[]) => join(a.path, 'tasks', id, ...path)
    await eventually(() => existsSync(there('artifacts', 'begun')), 'it runs')
    expect(b.fleet(['tell', id, 'Use the new name'])).toMatchObject({
      code: 0,
      stdout: `Told ${id} on east, which hands it to its agent.\n`,
    })
    await eventually(() => readdirSync(there('attempts', '1', 'hooks')).length === 1, 'the message lies there')
    appendFileSync(there('artifacts', 'go'), '')
    await a.becomes(id, 'closed')
    expect(fileOf(a, id, 'attempts', '1', 'stdout.jsonl')).toContain('A message for you from tester')
    expect(a.fleet(['show', id]).stdout).toMatch(/^told: +Use the new name .*: delivered [\d:]{8}, before Write$/m)
  })

  test('stays unclaimed while its machine is paused from here, by name or with all machines', async () => {
    const { a, b, only } = await twoMachines(server)
    only(a)
    expect(b.fleet(['pause', '--host', 'east'])).toMatchObject({
      code: 0,
      stdout: 'east: paused: nothing new is started\n',
    })
    expect(b.fleet(['pause', '--all-hosts']).stdout).toMatch(
      /^Already paused by tester at [0-9:]+\.\neast: already paused by tester\n$/,
    )
    const id = await b.script('true', { cwd: a.project })
    expect(a.fleet(['show', id]).stdout).toMatch(/^status: +open$/m)
    inLedger(a, (ledger) => ledger.saveLane(lane('codex', 'paused', { until: Date.now() + 3_600_000 })))
    expect(b.fleet(['resume', '--host', 'east']).stdout).toBe('east: claiming continues; lane codex is tried again\n')
    await b.becomes(id, 'closed')
    expect(a.runsOf(id)).toHaveLength(1)
    expect(b.fleet(['pause', '--host', 'south'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('fleet hosts'),
    })
    expect(b.fleet(['pause', id, '--host', 'east']).code).toBe(2)
  })

  test('is killed even if the supervisor dies after receiving the order: the next one carries it out', async () => {
    const { a, b, only } = await twoMachines(server, ['timeouts.grace=10s'])
    only(a)
    const id = await a.script('trap "" TERM; touch begun; while :; do sleep 0.1; done')
    await eventually(() => a.exists('begun'), 'it runs')
    // An earlier, unsettled attempt on this machine is not the running one.
    started(b, id, { claimedBy: 'fleet-000000@west', token: 0 })
    const killed = b.beside(['kill', id])
    await a.logged('order-received')
    a.supervisor.kill('SIGKILL')
    await a.supervisor.exited
    const next = await a.supervise()
    expect(await killed).toMatchObject({
      code: 0,
      stdout: `${id}: it was not running\n${id} on east: stopped by tester (SIGKILL)\n`,
    })
    await a.expectNoAgents()
    next.kill('SIGTERM')
    await next.exited
  })

  test('keeps running if its machine does not answer: `fleet kill` says until when, and the order lapses', async () => {
    const { a, b, only } = await twoMachines(server)
    only(a)
    const id = await a.script('touch begun; exec sleep 600')
    await eventually(() => a.exists('begun'), 'it runs')
    a.supervisor.kill('SIGKILL')
    await a.supervisor.exited
    const answer = b.fleet(['kill', id])
    expect([answer.code, answer.stdout]).toEqual([6, ''])
    expect(answer.stderr).toMatch(
      new RegExp(`fleet: east has not answered for 10s; its claim on ${id} ends in [0-9ms]+ unless it renews it\n`),
    )
    expect(a.agents().length).toBeGreaterThan(0)
    const again = await a.supervise()
    await a.logged('run-found')
    expect(a.log().filter(({ event }) => event === 'order-received')).toEqual([])
    expect(await b.beside(['kill', id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('stopped by tester'),
    })
    again.kill('SIGTERM')
    await again.exited
  })
})
