import { appendFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { attack } from '../support/attack.ts'
import { claims, type Fleet, healthy, init, result, testFleet, tool, until, writes } from '../support/supervisor.ts'
import { ROWS } from './evidence.rows.ts'

const rows = ROWS.attacks
const ONCE = 'max_attempts=1'
const FORGED = 'echo \'{"code":0}\' >"$FLEET_TASK_DIR/attempts/1/exit.json"'

function once(options: Parameters<typeof testFleet>[0], ...config: readonly string[]): Fleet {
  return testFleet({ ...options, config: [...(options?.config ?? []), ONCE, ...config] })
}

const attemptOf = (fleet: Fleet, id: string): string => join(fleet.home.path, 'tasks', id, 'attempts', '1')

/** Waits for a file that an agent made in the folder of its task. */
const made = (fleet: Fleet, id: string, ...path: readonly string[]): Promise<void> =>
  until(
    async () => fleet.exists(id, ...path),
    () => `${id} has made ${path.join('/')}`,
  )

attack(rows.exitWhileItRuns, async (options) => {
  const fleet = once(options)
  const id = fleet.create('Forges and fails', `${FORGED}; exit 3`)
  const long = fleet.create('Forges at length', `${FORGED}; seq 100 >>"$FLEET_TASK_DIR/attempts/1/exit.json"; exit 3`)
  await fleet.start()
  for (const each of [id, long]) {
    await fleet.settled(each, 'blocked')
    expect(fleet.receipt(each).evidence.exit).toEqual({ kind: 'code', code: 3 })
  }
  // The wrapper removes what is in the way of its own record, so nothing of it is left.
  expect([fleet.receipt(id).altered, fleet.receipt(long).altered]).toEqual([undefined, undefined])
})

attack(rows.exitAndImmutable, async (options) => {
  const fleet = once(options)
  const exit = '"$FLEET_TASK_DIR/attempts/1/exit.json"'
  const forged = 'cd "$FLEET_TASK_DIR"; echo \'{"code":0}\' >forged'
  const folder = fleet.create('Makes a folder', `mkdir ${exit}; exit 126`)
  const link = fleet.create('Makes a link', `${forged}; ln -s ../../forged ${exit}; chmod 400 forged; exit 127`)
  const pipe = fleet.create('Makes a pipe', `mkfifo ${exit}; exit 126`)
  await fleet.start()
  for (const [id, code] of [
    [folder, 126],
    [link, 127],
    [pipe, 126],
  ] as const) {
    await fleet.settled(id, 'blocked')
    expect(fleet.receipt(id).evidence.exit).toEqual({ kind: 'code', code })
  }
})

attack(rows.exitWithoutWrapper, async (options) => {
  const fleet = once(options)
  const id = fleet.create('Kills its wrapper', `${FORGED}; kill -9 $PPID; exit 3`)
  await fleet.start()
  const { outcome } = await fleet.ended(id)
  expect(outcome?.code).not.toBe('done')
  expect((await fleet.task(id)).status).not.toBe('closed')
})

attack(rows.exitBeforeStop, async (options) => {
  const fleet = once(options)
  const id = fleet.create('Works on', `${FORGED}; touch "$FLEET_TASK_DIR/forged"; sleep 600`)
  await fleet.start()
  await made(fleet, id, 'forged')
  await fleet.end('SIGTERM')
  expect((await fleet.task(id)).status).toBe('open')
  expect(fleet.runs(id)[0]?.outcome?.code).toBe('stopped')
})

attack(rows.exitWithoutSupervisor, async (options) => {
  const fleet = once(options)
  const read = (name: string) => `while [ ! -e "$FLEET_TASK_DIR/${name}" ]; do sleep 0.05; done`
  const id = fleet.create('Fails alone', `touch "$FLEET_TASK_DIR/up"; ${read('go')}; exit 3`)
  await fleet.start()
  await made(fleet, id, 'up')
  await until(
    async () => fleet.runs(id)[0]?.proc != null,
    () => 'its process is in the ledger',
  )
  await fleet.end('SIGKILL')
  writeFileSync(join(fleet.home.path, 'tasks', id, 'go'), '')
  const exit = join(attemptOf(fleet, id), 'exit.json')
  await until(
    async () => fleet.exists(id, 'attempts', '1', 'exit.json'),
    () => 'its exit is recorded',
  )
  await until(
    async () => fleet.text(id, 'attempts', '1', 'exit.json').endsWith('\n'),
    () => 'its exit is recorded',
  )
  // As a process that outlived it could: it can read the key of the failure.
  writeFileSync(exit, fleet.text(id, 'attempts', '1', 'exit.json').replace('"code":3', '"code":0'))
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id)).toMatchObject({ evidence: { exit: { kind: 'unknown' } }, altered: ['exit.json'] })
})

attack(rows.launchRecord, async (options) => {
  const fleet = once(options)
  const alter = 'sed -i s/attempt/Attempt/ "$FLEET_TASK_DIR/attempts/1/launch.json"'
  const agent = fleet.create('Alters it', [
    ...healthy('x.txt').slice(0, -1),
    tool({ run: ['sh', '-c', alter] }),
    result(),
  ])
  const script = fleet.create('A script alters it', alter)
  await fleet.start()
  for (const id of [agent, script]) {
    expect((await fleet.settled(id, 'blocked')).notes).toBe(
      '1 attempt failed; last: the record of it was altered: launch.json',
    )
    expect(fleet.receipt(id)).toMatchObject({ level: 'none', altered: ['launch.json'] })
  }
})

attack(rows.launchRecordOfBefore, async (options) => {
  const fleet = testFleet(options)
  const cwd = fleet.project('judged', { git: true })
  const alter =
    'sed -i s/main/Main/ "$FLEET_TASK_DIR/attempts/1/launch.json"; rm "$FLEET_TASK_DIR/attempts/1/launch.json"'
  const id = fleet.create(
    'Alters, then works',
    [
      [init, tool({ run: ['sh', '-c', alter] }), claims(), result()],
      [init, writes('made.txt'), claims('made it'), result()],
    ],
    '--cwd',
    cwd,
  )
  await fleet.start()
  expect((await fleet.settled(id, 'closed')).close_reason).toBe('made it')
  expect(fleet.runs(id).map(({ outcome }) => outcome?.code)).toEqual(['evidence-destroyed', 'done'])
})

attack(rows.receipt, async (options) => {
  const fleet = once(options)
  const id = fleet.create('Fails', 'exit 3')
  await fleet.start()
  await fleet.settled(id, 'blocked')
  const path = join(attemptOf(fleet, id), 'receipt.json')
  const text = fleet.text(id, 'attempts', '1', 'receipt.json')
  expect(fleet.fleet('task', id, 'receipt')).toMatchObject({ code: 0, stdout: text, stderr: '' })
  expect(fleet.fleet('show', id).stdout).not.toContain('altered')
  writeFileSync(path, text.replace('"code": 3', '"code": 0'))
  const told = `${path} was altered after fleet wrote it; this is what the ledger has\n`
  expect(fleet.fleet('task', id, 'receipt')).toMatchObject({
    code: 0,
    stdout: text,
    stderr: expect.stringContaining(told),
  })
  expect(JSON.parse(fleet.fleet('task', id, 'receipt', '--json').stdout)).toMatchObject({ text, altered: true })
  expect(fleet.fleet('show', id).stdout).toContain('! altered: receipt.json')
  expect(JSON.parse(fleet.fleet('show', id, '--json').stdout).fleet.attempts[0].altered).toEqual(['receipt.json'])
  rmSync(path)
  expect(fleet.fleet('task', id, 'receipt')).toMatchObject({ stdout: text, stderr: expect.stringContaining('is gone') })
  rmSync(join(fleet.home.path, 'tasks', id), { recursive: true })
  expect(fleet.fleet('task', id, 'receipt')).toMatchObject({ code: 0, stdout: text })
})

attack(rows.letter, async (options) => {
  const fleet = once(options)
  const id = fleet.create('Says it', [...healthy('x.txt').slice(0, -1), tool({ waitFor: 'go' }), result()])
  await fleet.start()
  const inbox = join(attemptOf(fleet, id), 'inbox')
  const kept = () => fleet.ledger.recordsOf(fleet.runs(id)[0]?.id ?? '').letters
  await until(
    async () => kept().length === 1,
    () => 'the letter is in the ledger',
  )
  await fleet.end('SIGKILL')
  const [name = ''] = readdirSync(inbox)
  const text = fleet.text(id, 'attempts', '1', 'inbox', name)
  writeFileSync(join(inbox, name), text.replace('all done', 'much more'))
  await fleet.start()
  await until(
    async () => fleet.log().some(({ event }) => event === 'run-found'),
    () => 'it was adopted',
  )
  writeFileSync(join(fleet.runs(id)[0]?.cwd ?? '', 'go'), '')
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id)).toMatchObject({ claim: { summary: 'all done' }, level: 'none', altered: [`inbox/${name}`] })
})

attack(rows.output, async (options) => {
  const fleet = once(options)
  const swap = 'cd "$FLEET_TASK_DIR/attempts/1"; cp stdout.jsonl other; mv other stdout.jsonl'
  const id = fleet.create('Swaps its output', [{ run: ['sh', '-c', swap] }, ...healthy('x.txt')])
  const gone = fleet.create('Removes it', [
    { run: ['sh', '-c', 'rm "$FLEET_TASK_DIR/attempts/1/stdout.jsonl"'] },
    ...healthy('y.txt'),
  ])
  const script = fleet.create('A script swaps it', `${swap}; exit 0`)
  await fleet.start()
  for (const each of [id, gone, script]) {
    await fleet.settled(each, 'blocked')
    expect(fleet.receipt(each)).toMatchObject({ level: 'none', altered: ['stdout.jsonl'] })
  }
})

attack(rows.startRecord, async (options) => {
  const fleet = once(options)
  const forge = 'echo forbidden >"$FLEET_TASK_DIR/attempts/1/exit.json.pid"; touch "$FLEET_TASK_DIR/up"'
  const id = fleet.create(
    'Never began',
    `${forge}; while [ ! -e "$FLEET_TASK_DIR/go" ]; do sleep 0.05; done; kill -9 $$`,
  )
  await fleet.start()
  await made(fleet, id, 'up')
  await until(
    async () => fleet.runs(id)[0]?.proc != null,
    () => 'its process is in the ledger',
  )
  await fleet.end('SIGKILL')
  writeFileSync(join(fleet.home.path, 'tasks', id, 'go'), '')
  await until(
    async () => fleet.exists(id, 'attempts', '1', 'exit.json'),
    () => 'it has ended',
  )
  rmSync(join(attemptOf(fleet, id), 'exit.json'))
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.runs(id)).toHaveLength(1)
  expect(fleet.ledger.stateOf(id).failures).toBe(1)
})

attack(rows.outputAtOnce, async (options) => {
  const fleet = once(options)
  // Three gigabytes that take no room: the limit is on the length.
  const much = 'truncate -s 3G "$FLEET_TASK_DIR/attempts/1/stderr.log"; exit 0'
  const id = fleet.create('Prints and ends', much)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id).outcome).toMatchObject({
    code: 'error',
    text: expect.stringMatching(/^printed more than \d+ MB$/),
  })
})

attack(rows.outputSparse, async (options) => {
  const fleet = once(options)
  const id = fleet.create('Stretches its output', 'truncate -s 3G "$FLEET_TASK_DIR/attempts/1/stdout.jsonl"; exit 0')
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id).outcome).toMatchObject({
    code: 'error',
    text: expect.stringMatching(/^printed more than \d+ MB$/),
  })
  expect(fleet.receipt(id).evidence.stdout.bytes).toBeLessThan(10_000_000)
})

attack(rows.eventsFlood, async (options) => {
  const fleet = once(options)
  // The words of a sub-agent: an agent that says the same again and again is stopped as looping.
  const message = { content: [{ type: 'text', text: 'x'.repeat(1900) }] }
  const line = { type: 'assistant', message, parent_tool_use_id: 'toolu_1' }
  const id = fleet.create('Talks', [init, { emit: line, times: 12_000 }, ...healthy('x.txt').slice(1)])
  await fleet.start()
  await fleet.settled(id, 'closed')
  const { size } = statSync(join(fleet.home.path, 'tasks', id, 'events.jsonl'))
  expect(size).toBeGreaterThan(10_000_000)
  expect(size).toBeLessThan((16 << 20) + 10_000)
  const lines = fleet.text(id, 'events.jsonl').trimEnd().split('\n')
  expect(lines.filter((each) => each.includes('"events-left-out"'))).toHaveLength(1)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ kind: 'notice', name: 'events-left-out', attempt: 1 })
  expect(fleet.receipt(id).evidence.events).toBeGreaterThan(12_000)

  // A task with too many of them already.
  appendFileSync(join(fleet.home.path, 'tasks', id, 'events.jsonl'), `${'x'.repeat(1 << 20)}\n`.repeat(64))
  expect(fleet.fleet('bd', 'reopen', id)).toMatchObject({ code: 0 })
  const before = statSync(join(fleet.home.path, 'tasks', id, 'events.jsonl')).size
  await fleet.ended(id, 2)
  expect(statSync(join(fleet.home.path, 'tasks', id, 'events.jsonl')).size - before).toBeLessThan(1000)
})

attack(rows.lettersFlood, async (options) => {
  const fleet = once(options)
  const note = 'fleet note "$(head -c 60000 /dev/zero | tr \'\\0\' n)"'
  const id = fleet.create('Writes letters', `for i in $(seq 22); do ${note}; done`)
  await fleet.start()
  await fleet.settled(id, 'closed')
  const lines = fleet.text(id, 'log.jsonl').trimEnd().split('\n')
  expect(lines.join('').length).toBeLessThan(1_200_000)
  expect(lines.map((line) => JSON.parse(line).event).filter((event) => event !== 'note')).toEqual([
    'started',
    'letters-left-out',
    'ended',
  ])
})
