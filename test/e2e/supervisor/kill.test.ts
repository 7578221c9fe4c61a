import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasNamespace } from '../../support/agents.ts'
import { endProcess, processesWith } from '../../support/home-run.ts'
import { isExcepted } from '../../support/ps-exceptions.ts'
import { type Fleet, hang, healthy, init, says, testFleet, tool, until } from '../../support/supervisor.ts'

/** Ignores SIGTERM, as does a child in its own session; another child is detached from its parent. */
const STUBBORN = [
  { ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] },
  init,
  {
    child: {
      setsid: true,
      do: [{ ignore: ['SIGTERM', 'SIGHUP'] }, { touch: '$FLEET_ARTIFACT_DIR/child' }, hang],
    },
  },
  { child: { setsid: true, fork: true, hold: true } },
  { waitFor: '$FLEET_ARTIFACT_DIR/child' },
  says('cannot be stopped'),
  tool({ touch: '$FLEET_ARTIFACT_DIR/ready' }, hang),
]

const ready = async (fleet: Fleet, id: string) =>
  await until(
    async () => fleet.exists(id, 'artifacts', 'ready'),
    () => `${id} is ready`,
  )

/** Reads /proc itself, independently of fleet's sweep. */
const alive = (fleet: Fleet, id: string) => fleet.runs(id).flatMap((run) => processesWith([`FLEET_RUN_ID=${run.id}\0`]))

describe.each([...(hasNamespace ? ['on'] : []), 'off'])('with pid_namespace=%s', (namespace) => {
  test('`fleet kill` returns when no process of the run is left, says which signal ended it, and blocks the task', async () => {
    const fleet = testFleet({ config: [`pid_namespace=${namespace}`] })
    const stubborn = fleet.create('Stubborn', STUBBORN)
    const meek = fleet.create('Meek', [init, tool({ touch: '$FLEET_ARTIFACT_DIR/ready' }, hang)])
    const other = fleet.create('Of no concern', [
      init,
      tool({ waitFor: join(fleet.home.project, 'go') }),
      ...healthy('x.txt').slice(1),
    ])
    await fleet.start()
    for (const id of [stubborn, meek]) await ready(fleet, id)
    await fleet.started(other)
    const before = alive(fleet, stubborn)
    expect(before.length).toBeGreaterThanOrEqual(4)

    const begun = performance.now()
    const killed = fleet.fleet('kill', stubborn)
    expect(alive(fleet, stubborn)).toEqual([])
    // Grace is one second here; the rest is room for a busy machine.
    expect(performance.now() - begun).toBeLessThan(60_000)
    expect(killed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(waiting for fleet-\w+ to end; .*\n)?$/) })
    expect(killed.stdout).toMatch(new RegExp(`^${stubborn}: stopped by tester`))
    expect(await fleet.settled(stubborn, 'blocked')).toMatchObject({ notes: 'stopped by tester', assignee: '' })
    expect(fleet.runs(stubborn).map((run) => run.outcome)).toEqual([
      { code: 'killed', text: 'stopped by tester', by: 'tester' },
    ])
    expect(fleet.ledger.stateOf(stubborn)).toMatchObject({ failures: 0, session: fleet.runs(stubborn)[0]?.id })
    const { leftovers } = fleet.receipt(stubborn)
    // In a pid namespace they died with its first process; without one, fleet had to find them.
    if (namespace === 'off') {
      expect(killed.stdout).toContain('killed what was left:')
      expect(leftovers.map(({ command }) => command)).toContainEqual(expect.stringContaining('sleep'))
    } else expect(leftovers).toEqual([])

    expect(fleet.fleet('kill', meek)).toMatchObject({ code: 0, stdout: `${meek}: stopped by tester (SIGTERM)\n` })
    expect(alive(fleet, meek)).toEqual([])
    expect(alive(fleet, other)).not.toEqual([])
    expect(fleet.fleet('kill', meek)).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining(`${meek} is blocked\n`),
    })
    fleet.touch('go')
    await fleet.settled(other, 'closed')
  })

  test('`fleet kill` also ends processes that respawn, keep changing their pid, or are stopped', async () => {
    const fleet = testFleet({ config: [`pid_namespace=${namespace}`] })
    const respawn = 'trap "" TERM; touch $FLEET_ARTIFACT_DIR/ready; while :; do sh -c "sleep 0.01"; done'
    const flee = 'touch $FLEET_ARTIFACT_DIR/ready; sleep 0.01\nsetsid sh ./flee &\n'
    const changing = isExcepted(
      '`fleet kill` also ends processes that respawn, keep changing their pid, or are stopped',
    )
      ? []
      : [`cd "$FLEET_TASK_DIR"; printf '${flee}' >flee; setsid sh ./flee & sleep 600`]
    const scripts = [
      `setsid sh -c '${respawn}' & setsid sh -c '${respawn}' & sleep 600`,
      ...changing,
      'touch $FLEET_ARTIFACT_DIR/ready; kill -STOP $$; sleep 600',
      // A double fork that has left the session before the agent ends.
      '(setsid sh -c "sleep 601 & exec sleep 602" &); touch $FLEET_ARTIFACT_DIR/ready; sleep 600',
    ]
    const ids = scripts.map((script, n) => fleet.create(`Stubborn script ${n}`, script))
    await fleet.start()
    for (const id of ids) await ready(fleet, id)
    expect(fleet.fleet('kill', ...ids)).toMatchObject({ code: 0 })
    expect(ids.flatMap((id) => alive(fleet, id))).toEqual([])
    for (const id of ids) await fleet.settled(id, 'blocked')
  })

  test('`fleet kill --all` works without a supervisor', async () => {
    const fleet = testFleet({ config: [`pid_namespace=${namespace}`] })
    const stubborn = fleet.create('Stubborn', STUBBORN)
    const script = fleet.create('A script', 'sleep 600')
    await fleet.start()
    await ready(fleet, stubborn)
    await until(
      async () => alive(fleet, script).length > 0,
      () => 'the script runs',
    )
    await fleet.end('SIGKILL')
    expect(alive(fleet, stubborn).length).toBeGreaterThanOrEqual(4)
    const killed = fleet.fleet('kill', '--all')
    expect(killed).toMatchObject({ code: 0 })
    expect([...alive(fleet, stubborn), ...alive(fleet, script)]).toEqual([])
    for (const id of [stubborn, script]) {
      expect(killed.stdout).toContain(`${id}: stopped by tester`)
      expect(await fleet.settled(id, 'blocked')).toMatchObject({ notes: 'stopped by tester' })
    }
    await fleet.start()
    expect(fleet.fleet('kill', '--all').stdout).toBe('Nothing is running.\n')
    expect(fleet.starts(stubborn)).toHaveLength(1)
  })
})

test('`fleet kill` of a run that a timeout is already stopping also prevents its retry', async () => {
  const fleet = testFleet({ config: ['timeouts.idle=1s', 'timeouts.grace=5s'] })
  const deaf = [{ ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] }, init, hang]
  const id = fleet.create('Deaf and silent', deaf)
  await fleet.start()
  await until(
    async () => fleet.runs(id)[0]?.phase === 'stopping',
    () => 'it is being stopped',
  )
  expect(fleet.fleet('kill', id)).toMatchObject({ code: 0, stdout: `${id}: stopped by tester (SIGKILL)\n` })
  expect(await fleet.settled(id, 'blocked')).toMatchObject({ notes: 'stopped by tester', assignee: '' })
  expect(fleet.starts(id)).toHaveLength(1)
  expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0, lastOutcome: { code: 'killed' } })
})

test('the next supervisor remembers a kill of a run that was already being stopped', async () => {
  const fleet = testFleet({ config: ['timeouts.idle=1s', 'timeouts.grace=5m'] })
  const id = fleet.create('Deaf and silent', [{ ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] }, init, hang])
  await fleet.start()
  const isBeing = (what: string, seen: () => boolean) =>
    until(
      async () => seen(),
      () => what,
    )
  await isBeing('stopped', () => fleet.runs(id)[0]?.phase === 'stopping')
  const request = fleet.ledger.request('kill', id, 'tester', Date.now())
  const run = fleet.runs(id)[0]
  await isBeing('killed', () => fleet.ledger.wanted(run?.id ?? '')?.code === 'killed')
  await fleet.end('SIGKILL')
  // The request itself is gone.
  fleet.ledger.endRequest(request.id, { kind: 'done', at: Date.now(), text: '' })
  for (const pid of alive(fleet, id)) endProcess(pid)
  await fleet.start()
  expect(await fleet.settled(id, 'blocked')).toMatchObject({ notes: 'stopped by tester' })
  expect(fleet.starts(id)).toHaveLength(1)
})

describe('after `fleet kill --all`', () => {
  const one = [init, tool({ touch: '$FLEET_ARTIFACT_DIR/ready' }, hang)]

  test('the command says what starts next and how to prevent it', async () => {
    const fleet = testFleet({ config: ['max_concurrent=1'] })
    const first = fleet.create('First', one)
    const second = fleet.create('Second', one)
    await fleet.start()
    await ready(fleet, first)
    const { code, stdout } = fleet.fleet('kill', '--all')
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(new RegExp(`^${first}: stopped by tester`)),
        `Next the supervisor starts ${second} (Second). fleet pause prevents that, as does fleet kill --all --pause.`,
        '',
      ],
    })
    await ready(fleet, second)
  })

  test('with --pause nothing new starts', async () => {
    const fleet = testFleet({ config: ['max_concurrent=1'] })
    const first = fleet.create('First', one)
    const second = fleet.create('Second', one)
    await fleet.start()
    await ready(fleet, first)
    const { code, stdout } = fleet.fleet('kill', '--all', '--pause')
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(new RegExp(`^${first}: stopped by tester`)),
        'Paused: nothing new is started. Continue with: fleet resume',
        '',
      ],
    })
    await fleet.settled(first, 'blocked')
    expect(fleet.starts(second)).toEqual([])
    expect(fleet.ledger.paused()?.by).toBe('tester')
    expect(fleet.fleet('kill', first, '--pause').code).toBe(2)
  })
})
