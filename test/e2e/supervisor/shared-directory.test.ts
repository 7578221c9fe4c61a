import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Step } from '../../stub-agent/stub-as.ts'
import { claims, type Fleet, init, result, says, testFleet, tool, until, writes } from '../../support/supervisor.ts'

const there = (path: string) =>
  until(
    async () => existsSync(path),
    () => `${path} exists`,
  )
const SHARED = 'not traced to it (others worked here too, or none of its tools was open)'

/** Until fleet has looked at its output since its first tool call ended. */
const traced = (fleet: Fleet, id: string) =>
  until(
    async () => (fleet.ledger.seen(fleet.runs(id)[0]?.id ?? '').work?.open.length ?? 0) > 0,
    () => 'the ledger has the times of its tools',
  )

/** Until fleet has looked at its output after this file was made. */
async function lookedAtSince(fleet: Fleet, id: string, path: string): Promise<void> {
  await there(path)
  const { mtimeMs } = statSync(path)
  const lookedAt = () => fleet.ledger.seen(fleet.runs(id)[0]?.id ?? '').work?.at ?? 0
  await until(
    async () => lookedAt() >= Math.floor(mtimeMs),
    () => `fleet has looked at ${id}`,
  )
}

/** Two runs that work in one directory at the same time: each waits for the other where the steps say so. */
async function together(fleet: Fleet, cwd: string, ...agents: readonly (readonly Step[])[]): Promise<string[]> {
  const ids = agents.map((steps, n) => fleet.create(`Agent ${n}`, [init, ...steps, result()], '--cwd', cwd))
  await fleet.start()
  for (const id of ids) await fleet.ended(id)
  return ids
}

test.for(['git', 'folder'] as const)(
  'in a shared directory (%s) each run gets the files that its own tools name, and an idle one gets none',
  async (kind) => {
    const fleet = testFleet({ config: ['max_attempts=1'] })
    const cwd = fleet.project('shared', { git: kind === 'git' })
    const flag = (name: string) => join(fleet.home.project, name)
    const [one, other, idle] = (await together(
      fleet,
      cwd,
      [writes('one.txt'), { touch: flag('one') }, { waitFor: flag('other') }, claims()],
      [{ waitFor: flag('one') }, writes('other.txt'), { touch: flag('other') }, claims()],
      [tool({ waitFor: flag('other') }), claims('all done')],
    )) as [string, string, string]
    expect([one, other, idle].map((id) => fleet.receipt(id).evidence.files_changed)).toEqual([
      ['one.txt'],
      ['other.txt'],
      [],
    ])
    expect([one, other, idle].map((id) => fleet.runs(id)[0]?.outcome?.code)).toEqual(['done', 'done', 'no-evidence'])
  },
)

test('a change that two runs may have made counts for neither, and the agent is told the remedy', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const cwd = fleet.project('shared', { git: true })
  const flag = (name: string) => join(fleet.home.project, name)
  const [one, other] = (await together(
    fleet,
    cwd,
    [tool({ touch: flag('in one') }, { waitFor: flag('in other') }, { write: 'a.txt', text: 'a\n' }), claims()],
    [tool({ touch: flag('in other') }, { waitFor: 'a.txt' }), claims()],
  )) as [string, string]
  for (const id of [one, other]) {
    expect(fleet.receipt(id)).toMatchObject({
      level: 'claimed',
      outcome: { code: 'no-evidence', text: expect.stringContaining(`1 change here is ${SHARED}`) },
      evidence: { files_changed: [], untraced: { files: ['a.txt'], commits: [], count: 1 } },
    })
    expect((await fleet.task(id)).notes).toContain('isolation = worktree')
  }
})

test('what a person changes while an agent only reads and claims is no evidence', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const cwd = fleet.project('shared', { git: true })
  const read: Step = { claude: 'tool', name: 'Read', input: { file_path: 'kept.txt' } }
  const id = fleet.create(
    'Reads',
    [init, read, { touch: 'read' }, { waitFor: 'mine.txt' }, claims(), result()],
    '--cwd',
    cwd,
  )
  await fleet.start()
  await there(join(cwd, 'read'))
  rmSync(join(cwd, 'read'))
  writeFileSync(join(cwd, 'mine.txt'), 'of a person\n')
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id).evidence).toMatchObject({ files_changed: [], untraced: { files: ['mine.txt'] } })
})

test('a process that a tool left behind goes on working: alone in the directory, that counts', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('alone', { git: true })
  const flag = (name: string) => join(fleet.home.project, name)
  const script = `(while [ ! -e ${flag('go')} ]; do sleep 0.05; done; echo late >late.txt) >/dev/null 2>&1 &`
  const build: Step = { run: ['sh', '-c', script] }
  const meets = [{ touch: flag('ready') }, says('waits'), { waitFor: flag('end') }]
  const id = fleet.create('Builds', [init, tool(build), ...meets, claims(), result()], '--cwd', cwd)
  await fleet.start()
  await lookedAtSince(fleet, id, flag('ready'))
  fleet.touch('go')
  await there(join(cwd, 'late.txt'))
  fleet.touch('end')
  await fleet.settled(id, 'closed')
  expect(fleet.receipt(id).evidence.files_changed).toEqual(['late.txt'])
})

test('what a person changes after an agent has ended is not its work, even if no supervisor was there', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const cwd = fleet.project('left', { git: true })
  const flag = (name: string) => join(fleet.home.project, name)
  const meets = [{ touch: flag('ready') }, says('waits'), { waitFor: flag('end') }]
  const id = fleet.create('Lists', [init, tool(), ...meets, claims(), result()], '--cwd', cwd)
  await fleet.start()
  await lookedAtSince(fleet, id, flag('ready'))
  await fleet.end('SIGKILL')
  fleet.touch('end')
  await until(
    async () => fleet.exists(id, 'attempts', '1', 'exit.json') && fleet.alive().length === 0,
    () => 'the agent has ended',
  )
  writeFileSync(join(cwd, 'mine.txt'), 'of a person\n')
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id).evidence).toMatchObject({ files_changed: [], untraced: { files: ['mine.txt'] } })
})

test('a commit counts for the run that made it, with the files of another run left to that one', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const cwd = fleet.project('shared', { git: true })
  const flag = (name: string) => join(fleet.home.project, name)
  const make = (name: string, ...steps: readonly Step[]) =>
    fleet.create(name, [init, ...steps, claims(), result()], '--cwd', cwd)
  const commit = tool({ git: ['add', '-A'] }, { git: ['commit', '-q', '-m', 'All of it'] })
  const writer = make('Writes', writes('other.txt'), { waitFor: flag('committed') })
  const committer = make('Commits', { waitFor: flag('seen') }, writes('one.txt'), commit, { touch: flag('committed') })
  const idle = make('Idles', { waitFor: flag('seen') }, { waitFor: flag('committed') })
  await fleet.start()
  await traced(fleet, writer)
  fleet.touch('seen')
  for (const id of [writer, committer, idle]) await fleet.ended(id)
  const evidence = (id: string) => {
    const { files_changed, commits } = fleet.receipt(id).evidence
    return { files: files_changed, commits: commits?.length }
  }
  expect([writer, committer, idle].map(evidence)).toEqual([
    { files: ['other.txt'], commits: 0 },
    { files: ['one.txt'], commits: 1 },
    { files: [], commits: 0 },
  ])
})

test('the times of tools survive a supervisor that is killed', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const cwd = fleet.project('shared', { git: true })
  const flag = (name: string) => join(fleet.home.project, name)
  const steps = (name: string, rest: readonly Step[]) =>
    fleet.create(name, [init, ...rest, { waitFor: flag('end') }, claims(), result()], '--cwd', cwd)
  const worker = steps('Works', [tool({ write: 'made.txt', text: 'made\n' }), { touch: flag('made') }])
  const idle = steps('Idles', [{ waitFor: flag('seen') }, tool()])
  await fleet.start()
  await there(flag('made'))
  await traced(fleet, worker)
  fleet.touch('seen')
  await traced(fleet, idle)
  await fleet.start('SIGKILL')
  fleet.touch('end')
  await fleet.settled(worker, 'closed')
  await fleet.settled(idle, 'blocked')
  expect([worker, idle].map((id) => fleet.receipt(id).evidence.files_changed)).toEqual([['made.txt'], []])
})

test('`fleet task <id> diff` shows the changes of the task, new and ignored files too, and names the others apart', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shared', { git: true })
  writeFileSync(join(cwd, '.gitignore'), 'dist\n')
  mkdirSync(join(cwd, 'dist'))
  const flag = (name: string) => join(fleet.home.project, name)
  const work = [writes('mine.txt', 'new\n'), writes('kept.txt', 'edited\n'), writes('dist/out.js', 'built\n')]
  const [one] = (await together(
    fleet,
    cwd,
    [...work, { touch: flag('one') }, { waitFor: flag('other') }, claims()],
    [{ waitFor: flag('one') }, writes('theirs.txt', 'theirs\n'), { touch: flag('other') }, claims()],
  )) as [string]
  const { stdout, stderr } = fleet.fleet('task', one, 'diff')
  for (const line of ['+new\n', '+edited\n', '+built\n']) expect(stdout).toContain(line)
  expect(stdout).not.toContain('theirs')
  expect(stderr).toBe('changed here too, but not by this task: .gitignore, theirs.txt\n')
})
