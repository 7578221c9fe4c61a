import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Lane } from '../../../src/domain/run/run.ts'
import type { Task } from '../../../src/domain/task/task.ts'
import type { Step } from '../../stub-agent/stub-as.ts'
import { claims, hang, healthy, init, result, says, testFleet, tool, until, writes } from '../../support/supervisor.ts'

const WORDS = [init, says('12/12 tests pass'), result('12/12 tests pass')]

test('a claim without work closes no task; real work closes it, and its dependents get the summary', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const { create } = fleet
  const shared = fleet.project('shared')
  const silent = create('Says it to itself', WORDS)
  const boaster = create('Says it to fleet', [init, { fleet: ['done', '12/12 tests pass'] }, ...WORDS.slice(1)])
  const after = create('After the boaster', healthy('x'), '--deps', boaster)
  const worker = create(
    'Does it',
    [
      init,
      writes('made.txt'),
      tool({ write: '$FLEET_ARTIFACT_DIR/report.md', text: 'Report' }),
      claims('wrote made.txt'),
      result(),
    ],
    '--cwd',
    shared,
  )
  const next = create('After the worker', healthy('y.txt'), '--deps', worker, '--cwd', shared)
  await fleet.start()
  await fleet.settled(next, 'closed')

  expect((await fleet.settled(silent, 'blocked')).notes).toBe(
    '1 attempt failed; last: ended without saying that it is done (0 tool calls, 0 files changed, 0 commits, 0 artifacts)',
  )
  expect((await fleet.settled(boaster, 'blocked')).notes).toBe(
    '1 attempt failed; last: claimed done with 0 tool calls, 0 files changed, 0 commits, 0 artifacts; for a task that needs no tool: --close-at claimed',
  )
  expect(fleet.receipt(boaster)).toMatchObject({
    claim: { how: 'letter', summary: '12/12 tests pass' },
    level: 'claimed',
    outcome: { code: 'no-evidence' },
    evidence: {
      exit: { kind: 'code', code: 0 },
      tool_calls: 0,
      files_changed: [],
      files_changed_count: 0,
      artifacts: [],
    },
  })
  expect(fleet.starts(after)).toEqual([])
  expect(fleet.fleet('show', after).stdout).toContain(boaster)

  expect((await fleet.settled(worker, 'closed')).close_reason).toBe('wrote made.txt')
  expect(fleet.receipt(worker)).toMatchObject({
    claim: { how: 'letter', summary: 'wrote made.txt' },
    level: 'evidenced',
    evidence: { tool_calls: 2, files_changed: ['made.txt'], artifacts: ['report.md'] },
  })
  const prompt = fleet.text(next, 'attempts', '1', 'prompt.md')
  expect(prompt).toContain(
    `- ${worker}: Does it\n> wrote made.txt\n  left ${join(fleet.home.path, 'tasks', worker, 'artifacts', 'report.md')}\n`,
  )
})

test('a prompt has the results of all blockers of the task, and of no other task', async () => {
  const fleet = testFleet()
  const held = ['blocked-by', 'conditional-blocks'].map((type) => ({ type, by: fleet.create(`By ${type}`, WORDS) }))
  const [related, above, open] = ['related', 'above', 'open'].map((title) => fleet.create(title, WORDS)) as [
    string,
    string,
    string,
  ]
  for (const { by, type } of held) fleet.fleet('bd', 'close', by, '--reason', `did it: ${type}`)
  for (const id of [related, above]) fleet.fleet('bd', 'close', id, '--reason', 'did it')
  const parent = fleet.create('Parent', WORDS, '--type', 'epic', '--deps', above)
  const deps = [...held.map(({ by, type }) => `${type}:${by}`), `related:${related}`, `waits-for:${open}`]
  const id = fleet.create('After them', healthy('x.txt'), '--parent', parent, '--deps', deps.join(','))
  expect(fleet.fleet('bd', 'update', open, '--status', 'deferred')).toMatchObject({ code: 0 })
  await fleet.start()
  await fleet.settled(id, 'closed')
  const prompt = fleet.text(id, 'attempts', '1', 'prompt.md')
  const [, told = ''] = /## Done before this task\n(.*?)\n\n/s.exec(prompt) ?? []
  const both = held.map(({ type, by }) => `- ${by}: By ${type}\n> did it: ${type}`)
  expect(told.split(/\n(?=-)/).sort()).toEqual([...both, `- ${above}: above\n> did it`].sort())
})

test('in a folder without git, a deletion is evidence; touching or rewriting a file unchanged is not', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const make = (name: string, ...work: readonly Step[]) => {
    const cwd = fleet.project(name)
    writeFileSync(join(cwd, 'kept.txt'), 'old\n')
    return { cwd, id: fleet.create(name, [init, ...work, result()], '--cwd', cwd) }
  }
  const deletes = make('deletes', tool({ run: ['rm', 'kept.txt'] }), claims('deleted it'))
  const touches = make('touches', tool({ run: ['touch', 'kept.txt'] }), claims())
  const repeats = make('repeats', writes('kept.txt', 'old\n'), claims())
  const leaves = make('leaves', claims(), tool({ run: ['rm', '-r', `${fleet.home.project}/leaves`] }))
  await fleet.start()
  expect((await fleet.settled(deletes.id, 'closed')).close_reason).toBe('deleted it')
  expect(fleet.receipt(deletes.id)).toMatchObject({
    level: 'evidenced',
    evidence: { files_changed: ['kept.txt'], files_changed_count: 1 },
  })
  for (const { id } of [touches, repeats]) {
    expect((await fleet.settled(id, 'blocked')).notes).toBe(
      '1 attempt failed; last: claimed done with 1 tool call, 0 files changed, 0 commits, 0 artifacts; for a task whose work is elsewhere: --evidence path:<path>, branch, pr or none',
    )
    expect(fleet.receipt(id)).toMatchObject({
      level: 'claimed',
      evidence: { files_changed: [], files_changed_count: 0 },
    })
  }
  expect((await fleet.settled(leaves.id, 'blocked')).notes).toBe(
    `1 attempt failed; last: its directory ${leaves.cwd} does not exist any more`,
  )
})

test('a script whose task asks for evidence needs it beside its exit status', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const make = (script: string, evidence: string) =>
    fleet.create(script, script, '--cwd', fleet.project(`p${script.length}`, { git: true }), '--evidence', evidence)
  const writes = make('echo found >report.txt', 'path:report.txt')
  const tags = make('git tag v1', 'branch')
  const idles = make('true', 'path:report.txt')
  const acts = make('false || true', 'none')
  await fleet.start()
  for (const id of [writes, tags, acts]) expect(await fleet.ended(id)).toMatchObject({ outcome: { code: 'done' } })
  expect((await fleet.ended(idles)).outcome).toEqual({
    code: 'no-evidence',
    text: 'claimed done with 0 files changed, 0 commits, 0 artifacts; its evidence is to be path:report.txt, and nothing there is traced to it (if it is elsewhere: fleet bd update --evidence path:<path>, branch, pr or none)',
  })
})

test('plans, questions, reads and empty commits are not evidence', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const bad: Record<string, readonly Step[]> = {
    plan: [
      tool({ write: '$FLEET_ARTIFACT_DIR/PLAN_AND_STATUS.md', text: 'x' }),
      tool({ write: '$FLEET_ARTIFACT_DIR/KNOWLEDGE.md', text: 'x' }),
      tool({ write: '$FLEET_ARTIFACT_DIR/Q&A.md', text: 'x' }),
      tool({ write: '$FLEET_ARTIFACT_DIR/empty.md', text: '' }),
    ],
    reads: [tool({ run: ['cat', 'kept.txt'] })],
    'empty commit': [tool({ git: ['commit', '-q', '--allow-empty', '-m', 'Nothing'] })],
    'what was there before': [tool({ run: ['true'] })],
  }
  const good: Record<string, readonly Step[]> = {
    'a commit': [tool({ write: 'kept.txt', text: 'new\n' }, { git: ['commit', '-q', '-a', '-m', 'Change'] })],
    'a dirty file': [writes('kept.txt', 'new\n')],
    'a commit on another branch': [
      tool({ git: ['checkout', '-q', '-b', 'side'] }, { write: 'kept.txt', text: 'new\n' }),
      tool({ git: ['commit', '-q', '-a', '-m', 'Change'] }, { git: ['checkout', '-q', 'main'] }),
    ],
    output: [tool({ write: '$FLEET_ARTIFACT_DIR/report.md', text: 'Report' })],
  }
  const make = (all: Record<string, readonly Step[]>) =>
    Object.entries(all).map(([name, steps], n) => {
      const cwd = fleet.project(`${n}${name}`, { git: true })
      if (name === 'what was there before') writeFileSync(join(cwd, 'before.txt'), 'x')
      return { name, id: fleet.create(name, [init, ...steps, claims(), result()], '--cwd', cwd) }
    })
  const wanted = [...make(bad), ...make(good)]
  await fleet.start()
  for (const { id } of wanted) await fleet.ended(id)
  const outcomes = wanted.map(({ name, id }) => [name, fleet.runs(id)[0]?.outcome?.code])
  expect(Object.fromEntries(outcomes)).toEqual({
    ...Object.fromEntries(Object.keys(bad).map((name) => [name, 'no-evidence'])),
    ...Object.fromEntries(Object.keys(good).map((name) => [name, 'done'])),
  })
})

test('a rejected claim goes back to the agent with the evidence', async () => {
  const fleet = testFleet()
  const id = fleet.create('Boasts first', [[init, claims('12/12 tests pass'), result()], healthy('made.txt')])
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id).map((run) => run.outcome?.code)).toEqual(['no-evidence', 'done'])
  expect(fleet.text(id, 'attempts', '2', 'prompt.md')).toContain(
    '## Why the last attempt ended\nclaimed done with 0 tool calls, 0 files changed, 0 commits, 0 artifacts; for a task that needs no tool: --close-at claimed\n',
  )
})

test('work of an attempt that made no claim is evidence for the next attempt, until the task is closed', async () => {
  const fleet = testFleet({ config: ['max_attempts=2'] })
  const word = [init, claims('it was all there'), result()]
  const id = fleet.create('Forgets to say so', [[init, writes('made.txt'), result()], word, word])
  await fleet.start()
  expect((await fleet.settled(id, 'closed')).close_reason).toBe('it was all there')
  expect(fleet.runs(id).map((run) => run.outcome?.code)).toEqual(['no-claim', 'done'])
  expect(fleet.receipt(id, 2)).toMatchObject({ level: 'evidenced', evidence: { files_changed: ['made.txt'] } })

  expect(fleet.fleet('bd', 'reopen', id)).toMatchObject({ code: 0 })
  expect((await fleet.ended(id, 3)).outcome).toEqual({
    code: 'no-evidence',
    text: 'claimed done with 0 tool calls, 0 files changed, 0 commits, 0 artifacts; for a task that needs no tool: --close-at claimed',
  })
})

test("only the work of a task's own attempts is evidence, not what others do between them", async () => {
  const fleet = testFleet()
  const word = [init, claims(), result()]
  const together = join(fleet.home.project, 'together')
  const resetsAt = Math.floor(Date.now() / 1000) + 3600
  const limited = [tool({ waitFor: together }), { claude: 'limit', resetsAt }, { exit: 1 }]
  const report = tool({ write: '$FLEET_ARTIFACT_DIR/report.md', text: 'Report' })
  const commit = tool({ git: ['add', '-A'] }, { git: ['commit', '-q', '-m', 'Change'] })
  const make = (name: string, first: readonly Step[], git = true) => {
    const cwd = fleet.project(name, { git })
    return { id: fleet.create(name, [[init, ...first, ...limited], word], '--cwd', cwd), cwd }
  }
  const idle = [make('idle', []), make('idle folder', [], false)]
  const undone = make('undone', [writes('made.txt')])
  const diligent = [
    make('diligent', [writes('made.txt')]),
    make('diligent folder', [writes('made.txt')], false),
    make('committed', [writes('kept.txt', 'new\n'), commit]),
    make('reported', [report]),
  ]
  const killed = make('killed', [writes('made.txt'), hang])
  const all = [...idle, undone, ...diligent, killed]
  await fleet.start()
  for (const { id } of all) await fleet.started(id)
  await until(
    async () => existsSync(join(killed.cwd, 'made.txt')),
    () => 'made.txt exists',
  )
  expect(fleet.fleet('kill', killed.id)).toMatchObject({ code: 0 })
  fleet.touch('together')
  for (const { id } of all) await fleet.ended(id)

  for (const { id, cwd } of all) {
    writeFileSync(join(cwd, 'mine.txt'), 'of a person\n')
    writeFileSync(join(fleet.home.path, 'tasks', id, 'artifacts', 'mine.md'), 'of a person\n')
  }
  rmSync(join(undone.cwd, 'made.txt'))
  const [lane] = fleet.ledger.lanes()
  fleet.ledger.saveLane({ ...(lane as Lane), until: Date.now() - 1 })
  for (const { id } of all) expect(fleet.fleet('retry', id)).toMatchObject({ code: 0 })
  for (const { id } of [...idle, undone]) {
    expect((await fleet.ended(id, 2)).outcome).toEqual({
      code: 'no-evidence',
      text: 'claimed done with 0 tool calls, 0 files changed, 0 commits, 0 artifacts; for a task whose work is elsewhere: --evidence path:<path>, branch, pr or none',
    })
  }
  const seen = []
  for (const { id } of [...diligent, killed]) {
    await fleet.settled(id, 'closed')
    const { files_changed, commits, artifacts } = fleet.receipt(id, 2).evidence
    seen.push([files_changed, commits?.length, artifacts])
  }
  expect(seen).toEqual([
    [['made.txt'], 0, []],
    [['made.txt'], 0, []],
    [['kept.txt'], 1, []],
    [[], 0, ['report.md']],
    [['made.txt'], 0, []],
  ])
})

test('each project sets the level that closes its tasks', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const levels = ['claimed', 'verified', 'reviewed']
  const cwds = levels.map((level) => fleet.project(level))
  const set = levels.map((level, n) => `projects."${cwds[n]}".close_at=${level}`)
  expect(fleet.fleet('config', 'set', ...set)).toMatchObject({ code: 0 })
  const boasters = cwds.map((cwd) => fleet.create('Boasts', [init, claims('my word'), result()], '--cwd', cwd))
  await fleet.start()
  for (const id of boasters) await fleet.ended(id)
  const workers = cwds.map((cwd) => fleet.create('Works', healthy('x.txt'), '--cwd', cwd))
  for (const id of workers) await fleet.ended(id)
  const fates = async (ids: readonly string[]) =>
    await Promise.all(ids.map(async (id) => ({ ...pick(await fleet.task(id)), level: fleet.receipt(id).level })))
  const noEvidence =
    '1 attempt failed; last: claimed done with 0 tool calls, 0 files changed, 0 commits, 0 artifacts; for a task that needs no tool: --close-at claimed'
  expect(await fates(boasters)).toEqual([
    { status: 'closed', close_reason: 'my word', notes: '', labels: [], level: 'claimed' },
    { status: 'blocked', close_reason: '', notes: noEvidence, labels: [], level: 'claimed' },
    { status: 'blocked', close_reason: '', notes: noEvidence, labels: [], level: 'claimed' },
  ])
  const review = (level: string) => ({
    status: 'blocked',
    close_reason: '',
    notes: expect.stringContaining(`done and evidenced; ${level} is asked for`),
    labels: ['needs-review'],
    level: 'evidenced',
  })
  expect(await fates(workers)).toEqual([
    { status: 'closed', close_reason: 'all done', notes: '', labels: [], level: 'evidenced' },
    review('verified'),
    review('reviewed'),
  ])
})

test('a run whose output was altered after it was read cannot claim to be done', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const read = 'until grep -q \'"kind":"result"\' "$FLEET_TASK_DIR/events.jsonl"; do sleep 0.1; done'
  const alter = (script: string): Step => ({ run: ['sh', '-c', `${read}; cd "$FLEET_TASK_DIR/attempts/1"; ${script}`] })
  const better = fleet.create('Betters it', [...healthy('x.txt'), alter('sed -i s/work/more/ stdout.jsonl')])
  const write = "require('fs').writeSync(require('fs').openSync('stdout.jsonl', 'r+'), ' ', 0)"
  const inPlace = fleet.create('Writes into it', [...healthy('y.txt'), alter(`"${process.execPath}" -e "${write}"`)])
  const base = fleet.create('Says what it is compared with', [
    ...healthy('z.txt'),
    alter('sed -i s/attempt/Attempt/ launch.json'),
  ])
  const same = fleet.create('Only looks at it', [...healthy('x.txt'), alter('cat stdout.jsonl')])
  await fleet.start()
  expect((await fleet.settled(better, 'blocked')).notes).toBe(
    '1 attempt failed; last: its output was altered afterwards',
  )
  expect(fleet.receipt(better)).toMatchObject({ level: 'none', evidence: { stdout: { altered: true } } })
  expect((await fleet.settled(inPlace, 'blocked')).notes).toBe(
    '1 attempt failed; last: its output was altered afterwards',
  )
  expect((await fleet.settled(base, 'blocked')).notes).toBe(
    '1 attempt failed; last: the record of it was altered: launch.json',
  )
  await fleet.settled(same, 'closed')
})

function pick({ status, close_reason, notes, labels }: Task) {
  return { status, close_reason, notes, labels }
}
